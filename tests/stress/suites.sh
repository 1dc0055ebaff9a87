#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Suites of tests of other programs have the same results while all functions of
# these programs and of their libraries are armed and fire: CPython's tests, of
# Debian's libpython3-testsuite, the regression tests of PostgreSQL, if
# $POSTGRES_SOURCE is a source folder of the installed version, tests of perl's
# core ($PERL_TESTS), if $PERL_SOURCE is one of its version, tests of git
# (t$GIT_TESTS*.sh), if $GIT_SOURCE is one that was built, and tests ($UNITS) of
# bash, PHP, Ruby, Tcl and zsh, if $SHELL_SOURCE, $PHP_SOURCE, $RUBY_SOURCE,
# $TCL_SOURCE and $ZSH_SOURCE are folders of about the installed version.  Other
# programs do as without it while a signal comes each 200 microseconds, and
# processors have more to do than they can.  `make check-slow' runs it, for an
# hour; SUITES=programs runs only that.

set -u
. "${top_srcdir:?}/tests/lib/pid.sh"
LC_ALL=C
export LC_ALL
. "$top/tests/stress/programs.sh"
all='pid$target:::entry, pid$target:::return'

# same_results WHAT LEAST: of both runs.
same_results() {
	echo "$1: $(wc -l <plain.results) results"
	expect "$1: there are results" \
	    "$([ "$(wc -l <plain.results)" -gt "$2" ] && echo many)" many
	expect "$1: they are the same" \
	    "$(diff plain.results armed.results | head -n 20)" ''
}

# ---------------------------------------------------------------- programs

cat >timer.c <<'END'
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

static volatile sig_atomic_t signals;

static void
timer_signal(int number)
{
	signals += number != 0;
}

static void
start(void)
{
	struct itimerspec each = { { 0, 200000 }, { 0, 200000 } };
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL,
	    .sigev_signo = SIGPROF };
	timer_t timer;

	if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0 ||
	    timer_settime(timer, 0, &each, NULL) != 0)
		abort();
}

static void __attribute__((constructor))
begin(void)
{
	struct sigaction action = { .sa_handler = timer_signal,
	    .sa_flags = SA_RESTART };

	if (sigaction(SIGPROF, &action, NULL) != 0 ||
	    pthread_atfork(NULL, NULL, start) != 0)
		abort();
	start();
}
END
as='' out=$PWD

# without, everything COMMAND: runs it, and adds its status to `output'.
without() {
	$as sh -c "exec $1" >output 2>err </dev/null
	echo "status $?" >>output
}
everything() {
	rm -f "$out/records"
	$as env LD_PRELOAD="$PWD/timer.so" "$TBUFCTL" --follow \
	    -x bufpolicy=ring -o "$out/records" -n "$all" \
	    -n 'END { printf("target %d\n", $target); }' -c "$1" >output \
	    2>err </dev/null
	pid=$(sed -n 's/.*target \([0-9]*\)$/\1/p' "$out/records")
	status=$(sed -n "s/.*: pid $pid exited with status //p" err)
	echo "status ${status:-0}" >>output
	expect "$1: signals" \
	    "$(grep -q 'timer_signal:entry' "$out/records" && echo some)" some
}

programs_tests() {
	$CC -shared -fPIC -o timer.so timer.c -lpthread -lrt || exit 1
	busy=
	for processor in 1 $(seq "$(nproc)"); do
		while kill -0 $$; do :; done 2>/dev/null &
		busy="$busy $!"
	done
	for what in ${WANTED-bash python redis nginx node postgres}; do
		"run_$what" without || continue
		tail -n 1 output >>seen
		mv seen wanted
		"run_$what" everything
		tail -n 1 output >>seen
		expect "$what: what it does" "$(cat seen)" "$(cat wanted)"
	done
	{
		kill $busy
		wait $busy
	} 2>/dev/null
}

# ---------------------------------------------------------------- CPython

python=/usr/bin/python3
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
cpython_tests() {
	$python -c 'import test.test_json' 2>/dev/null || {
		echo "no tests of $python: not tried"
		return
	}
	mkdir plain armed
	(cd plain && $tests) >plain.out 2>plain.err </dev/null
	(cd armed && "$TBUFCTL" -q -x bufpolicy=ring -o records -n "$all" \
	    -c "$tests") >armed.out 2>armed.err </dev/null
	results plain.out >plain.results
	results armed.out >armed.results
	same_results CPython 100
}

# ------------------------------------------------------------- PostgreSQL

# regress HOW [COMMAND ...]: the results of the tests of a server that runs so.
regress() {
	how=$1
	shift
	postgres_data "$how"
	cp -r "$POSTGRES_SOURCE/src/test/regress" "$folder/regress"
	# Without the headers its functions in C are missing in both runs.
	$CC -w -O2 -shared -fPIC -I"$(pg_config --includedir-server)" \
	    -o "$folder/regress/regress.so" "$folder/regress/regress.c" \
	    2>/dev/null
	[ "$(id -u)" -ne 0 ] || chown -R postgres "$folder/regress"
	server="$postgres/postgres -D $folder/data"
	# shellcheck disable=SC2086 # they are words
	[ $# -gt 0 ] && set -- "$@" -c "$server" || set -- $server
	as_user env TBUF_DIR="$folder/run" "$@" >"$how.server" 2>&1 &
	server=$!
	postgres_runs
	(cd "$folder/regress" && as_user "$pg_regress" --inputdir=. \
	    --outputdir=. --bindir="$postgres" --dlpath="$PWD" \
	    --host="$folder" --user=postgres --schedule=parallel_schedule) \
	    >"$how.out" 2>&1
	postgres_stops
	wait "$server"
	sed 's/^ *test / /' "$how.out" | sed -n \
	    's/^ *\([a-z0-9_.]*\) *\.\.\. *\([a-zA-Z]*\).*/\1 \2/p' |
	    sort >"$how.results"
	for test in "$folder"/regress/results/*.out; do
		echo "${test##*/} $(sed "s,$folder,,g" "$test" | cksum)"
	done >>"$how.results"
	rm -rf "$folder"
}
postgres_tests() {
	pg_regress=${postgres%/bin}/lib/pgxs/src/test/regress/pg_regress
	if [ ! -x "$pg_regress" ]; then
		echo 'no pg_regress (postgresql-server-dev-all): not tried'
	elif [ ! -e "${POSTGRES_SOURCE-}/src/test/regress/parallel_schedule" ]
	then
		echo 'no $POSTGRES_SOURCE: not tried'
	elif has_postgres; then
		regress plain
		regress armed env LD_PRELOAD="$TBUF_PROVIDERS/libtbuf-pid.so" \
		    TBUF_PID='pid*:postgres::,pid*:libc::' \
		    TBUF_PID_OPTIONS=loops,partial "$TBUFCTL" -q -n BEGIN
		same_results 'PostgreSQL, of which nothing fires' 100
		# A session enables less than the functions of all libraries.
		regress armed "$TBUFCTL" -q --follow -n 'pid$target:a.out::,
		    pid$target:libc:: { @[probename] = count(); }'
		same_results PostgreSQL 100
	fi
}

# -------------------------------------------------------------------- git

# git_results HOW COMMAND: the result of each check of the tests.
git_results() {
	mkdir "$1"
	for test in "$GIT_SOURCE"/t/t${GIT_TESTS-000}*.sh; do
		(
			GIT_TEST_INSTALLED=/usr/bin root=$PWD/$1
			export GIT_TEST_INSTALLED
			cd "$GIT_SOURCE/t" && $2 "sh $test --root=$root"
		) </dev/null 2>/dev/null |
		    sed -n "s,^\(not \)*ok,${test##*/} &,p"
	done >"$1.results"
	rm -rf "$1"
}
plain_git() {
	sh -c "exec $1"
}
armed_git() {
	"$TBUFCTL" --follow -Z -x bufpolicy=ring -o "$SCRATCH/records" \
	    -n 'pid*:git::' -c "$1"
}
git_tests() {
	[ -x "${GIT_SOURCE-}/t/helper/test-tool" ] || {
		echo 'no $GIT_SOURCE with t/helper/test-tool: not tried'
		return
	}
	git_results plain plain_git
	git_results armed armed_git
	same_results git 100
	expect 'git: records' "$(grep -q arg0 records && echo some)" some
}

# ------------------------------------------------------------------- perl

perl_files=${PERL_TESTS-'base/*.t cmd/*.t comp/*.t io/*.t mro/*.t op/*.t
    opbasic/*.t re/*.t uni/*.t'}

# perl_results HOW COMMAND: the result of each check of the tests, which look for
# modules in ../lib alone.  op/magic.t has other results in one run of twelve.
perl_results() {
	mkdir "$1"
	cp -r "$PERL_SOURCE/t" "$PERL_SOURCE/lib" "$1"
	perl -MConfig -e 'print "$Config{privlibexp}\n$Config{archlibexp}\n"' |
	    while read -r modules; do
		cp -r "$modules/." "$1/lib"
	done
	for test in $(cd "$1/t" && echo $perl_files); do
		[ "$test" != op/magic.t ] || continue
		(
			cd "$1/t" && $2 "perl $test"
		) </dev/null 2>/dev/null |
		    sed -n "s,^\(\(not \)*ok [0-9]*\).*,$test \1,p"
	done >"$1.results"
	rm -rf "$1"
}
plain_perl() {
	sh -c "exec $1"
}
armed_perl() {
	"$TBUFCTL" --follow -Z -x bufpolicy=ring -b 64k -o "$SCRATCH/records" \
	    -n 'pid*:::entry, pid*:::return' -c "$1"
}
perl_tests() {
	[ -e "${PERL_SOURCE-}/t/test.pl" ] || {
		echo 'no $PERL_SOURCE with t/test.pl: not tried'
		return
	}
	perl_results plain plain_perl
	perl_results armed armed_perl
	same_results perl 100
	expect 'perl: records' "$(grep -q entry records && echo some)" some
}

# ----------------------------------------------------- other interpreters

# The results of a test are all that it writes.
cat >both.sh <<'END'
exec "$@" 2>&1
END

# unit_results HOW COMMAND: the results of $test for each unit.  zsh's tests run
# ../Src/zsh, too.
unit_results() {
	mkdir -p "$1/Src"
	ln -s "$(command -v zsh)" "$1/Src/zsh"
	cp -r "$source" "$1/copy"
	for unit in $(cd "$1/copy" && echo $units); do
		(
			cd "$1/copy" && $2 "sh $SCRATCH/both.sh $test $unit"
		) </dev/null 2>/dev/null | tr '\r' '\n' | sed -n "$results" |
		    sed "s,$PWD/$1,,g; s,^,$unit ," | sort
	done >"$1.results"
	rm -rf "$1"
}
armed_units() {
	"$TBUFCTL" --follow -Z -x bufpolicy=ring -b 64k -o "$SCRATCH/records" \
	    -n "$fire" -c "$1"
}

# same_units WHAT FOLDER TEST UNITS OBJECT RESULTS: while all functions of
# OBJECT and of the C library fire.
same_units() {
	source=$2 test=$3 units=${UNITS-$4} results=$6
	fire="pid*:$5::, pid*:libc::"
	has "${test%% *}" || return
	[ -d "$source" ] || {
		echo "$1: no folder of its sources: not tried"
		return
	}
	unit_results plain plain_perl
	unit_results armed armed_units
	same_results "$1" 10
	expect "$1: records" "$(grep -q arg0 records && echo some)" some
}
bash_tests() {
	export THIS_SH=/bin/bash
	PATH=.:$PATH same_units bash "${SHELL_SOURCE-}/tests" sh 'run-alias
	    run-arith run-cond run-dollars run-exp-tests run-extglob run-func
	    run-heredoc run-ifs run-nameref run-printf run-quote run-trap' \
	    bash p
}
php_tests() {
	same_units PHP "${PHP_SOURCE-}" \
	    'php run-tests.php --no-color -q -p /usr/bin/php' \
	    'Zend/tests/fibers Zend/tests/generators Zend/tests/try' 'php*' \
	    '/^\([A-Z]* [^\[]* \)*\[.*phpt\]/p'
}
ruby_tests() {
	same_units Ruby "${RUBY_SOURCE-}" 'ruby test/runner.rb --seed=1 -v' \
	    'test/ruby/test_fiber.rb test/ruby/test_exception.rb
	    test/ruby/test_enumerator.rb' 'libruby*' \
	    's/^\(.*\] \)*\(Test[^ ]*#[^ ]*\) \([=\[]\).*/\2 \3/p'
}
tcl_tests() {
	same_units Tcl "${TCL_SOURCE-}/tests" 'tclsh all.tcl -verbose pe -file' \
	    '*.test' libtcl '/^++++\|^====/p'
}
zsh_tests() {
	export ZTST_verbose=1 ZTST_continue=1 ZTST_srcdir=. ZTST_exe=/bin/zsh
	# A05 makes 6,000 processes.
	same_units zsh "${ZSH_SOURCE-}/Test" 'zsh +Z -f ./ztst.zsh' \
	    'A0[1-4]*.ztst B*.ztst C*.ztst D*.ztst V08*.ztst' zsh p
}

for suite in ${SUITES-programs cpython postgres perl git}; do
	"${suite}_tests"
done
report
