# SPDX-License-Identifier: BSD-2-Clause
. "$HERE/common_fake"

# -l has DTrace's columns, -v the arguments, several targets a PID column.
play <<END
$probes
probe 3 kv kvd serve all int8:a int16:b int32:c int64:d uint8:e uint16:f uint32:g uint64:h
probe 4 kv kvd a_function_whose_name_is_longer_than_the_column rest char:i bool:j float:k double:l pointer:m string:n text:o binary:p
END
list -l
list -lv
ctl -l -n kv:::
play <<END
$probes
target 2000000 kvd
probe 1 kv kvd serve request-start
END
list -l
list -lv
ctl -l -p 100 -p 200
list -l --format=json
play <<'END'
target 100 kvd
probe 1 "k\"v" kvd "s\nerve" "x\xff" string:s uint64:n
probe 2 kv kvd serve none
END
# Names come from other processes: their control characters are not printed.
list -lv
# JSON always has the arguments.
list -l --format=json
"$TBUFCTL_FAKE" -l --format=json | python3 -c '
import json, sys
for line in sys.stdin:
    print(sorted(json.loads(line)))'
play </dev/null
list -l
list -l --format=json
echo "matched 0 1 0" | play
ctl -l -n kv::: -P nosuch -n x
ctl -l -Z -n kv::: -P nosuch -n x
