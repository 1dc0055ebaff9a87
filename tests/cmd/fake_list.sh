# SPDX-License-Identifier: BSD-2-Clause
. "$HERE/common_fake"

# -l has DTrace's columns, -v the arguments, several targets a PID column.
play <<END
$probes
probe 3 kv kvd serve all int8:a int16:b int32:c int64:d uint8:e uint16:f uint32:g uint64:h
probe 4 kv kvd a_function_whose_name_is_longer_than_the_column rest char:i bool:j float:k double:l pointer:m string:n text:o binary:p
END
ctl -l
ctl -lv
ctl -l -n kv:::
play <<END
$probes
target 2000000 kvd
probe 1 kv kvd serve request-start
END
ctl -l
ctl -lv
ctl -l -p 100 -p 200
play </dev/null
ctl -l
echo "matched 0 1 0" | play
ctl -l -n kv::: -P nosuch -n x
ctl -l -Z -n kv::: -P nosuch -n x
