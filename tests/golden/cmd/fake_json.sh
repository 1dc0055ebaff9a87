# SPDX-License-Identifier: BSD-2-Clause
. "$HERE/common_fake"

# JSON puts all output on standard output, one object on a line.
play <<'END'
target 100 kvd
probe 1 kv kvd serve none
probe 2 kv kvd serve integers int64:a uint64:b char:c bool:d bool:e
probe 3 kv kvd serve floats float:a double:b double:c double:d double:e
probe 4 kv kvd serve strings string:a text:b binary:c pointer:d
probe 5 "k\"v" "k\\vd" "s\nerve" "x\xff" string:s
command 77
lowered 2m
record 100 101 0 1 5000 6000
record 100 101 1 2 5000 6000 -9223372036854775808 18446744073709551615 -7 true false
record 100 101 1 3 5000 6000 0.1 1e300 nan inf -0.0
record 100 101 0 4 5000 6000 "" "" "" 0
record 100 101 0 4 5000 6000 "q\"b\\n\nt\tr\r/" "\x00\x01\x1f\x7f\x08" "\x0a\xff" 0xabc
record 100 101 0 4 5000 6000 NULL NULL NULL 1
record 100 101 0 4 5000 6000 "cut"... "whole" "\xab"... 1
record 100 101 0 4 5000 6000 "\xc3\xa9\xf0\x9f\x90\x9e" "\xe2\x82\xc0\x80\xff" "" 1
record 100 101 -1 5 5000 6000 ""
drops 100 0 nolane 1
drops 100 0 full 2
drops 100 0 large 3
drops 99 0 full 4 5000 5100
drops 100 1 full 5 5000 0
overwritten 99 0 6 0 5000
overwritten 100 1 7
# The times of several losses are around all of them, if all are known.
damage 100 1 8 5100 5200
damage 100 1 16 5000 5100
damage 99 1 8 5100 5200
damage 99 1 16 0 0
damage 99 1 16 5000 5100
exit 100
exit 77 status 0
exit 78 status 3
exit 79 signal 9
END
ctl --format=json -n kv::: -c true
ctl --format=json -q -n kv::: -c true 2>/dev/null
ctl --format=text --format=json -n kv::: -c true | python3 -c '
import json, sys
n = 0
for line in sys.stdin:
    if line[0] == "{":
        json.loads(line)
        n += 1
print(n, "objects")'
play <<'END'
fail go ENOSPC "could not enable tracing: Not enough space"
END
ctl --format=json -n kv:::
