#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# CPython's own tests have the same results while all functions of python and of
# its libraries are armed and fire.  `make check-slow` runs it, for some ten
# minutes; Debian's libpython3-testsuite has the tests.

set -u
. "${top_srcdir:?}/tests/lib/pid.sh"
LC_ALL=C
export LC_ALL
python=/usr/bin/python3
$python -c 'import test.test_json' 2>/dev/null || {
	echo "no tests of $python: not tried"
	exit 77
}

names=${NAMES-'grammar dict list set tuple unicode bytes re json struct float
    long int math cmath decimal fractions statistics random heapq bisect
    collections deque defaultdict itertools functools operator generators
    coroutines asyncgen contextlib exceptions raise with class descr property
    super inspect ast compile tokenize dis code codecs io fileio bufio memoryio
    tempfile shutil os posix glob pathlib zlib gzip bz2 lzma zipfile tarfile
    hashlib hmac base64 binascii pickle copy marshal array mmap select selectors
    threading thread signal faulthandler subprocess sqlite3 ctypes csv
    configparser datetime time calendar locale string format fstring textwrap
    difflib html urlparse xml_etree weakref gc sys traceback types typing enum
    dataclasses argparse logging sort range enumerate iter gettext asyncio'}
# shellcheck disable=SC2086 # they are words
tests="$python -m test -v $(printf 'test_%s ' $names)"

# results FILE: the name and the result of each test.
results() {
	sed -n 's/^\(test[^ ]* (.*)\).* \.\.\. \(ok\|FAIL\|ERROR\)$/\1 \2/p
	    s/^\(test_[a-z_0-9]* \(failed\|passed\)\).*/\1/p' "$1" | sort -u
}
mkdir plain armed
(cd plain && $tests) >plain.out 2>plain.err </dev/null
(cd armed && "$TBUFCTL" -q -x bufpolicy=ring -o records \
    -n 'pid$target:::entry, pid$target:::return' -c "$tests") \
    >armed.out 2>armed.err </dev/null
results plain.out >plain.results
results armed.out >armed.results
echo "$(wc -l <plain.results) results"
expect 'there are results' "$([ "$(wc -l <plain.results)" -gt 100 ] &&
    echo many)" many
expect 'they are the same' "$(diff plain.results armed.results | head -n 20)" ''
report
