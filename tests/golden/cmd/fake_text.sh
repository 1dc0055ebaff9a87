# SPDX-License-Identifier: BSD-2-Clause
. "$HERE/common_fake"

# The heading is printed once, then a row for each record, with every type.
play <<'END'
target 100 kvd
probe 1 kv kvd serve none
probe 2 kv kvd serve integers int8:a int16:b int32:c int64:d uint8:e uint16:f uint32:g uint64:h char:i
probe 3 kv kvd serve others bool:a bool:b pointer:c pointer:d
probe 4 kv kvd serve floats float:a double:b double:c double:d double:e double:f
probe 5 kv kvd serve strings string:a text:b binary:c
probe 123456 kv kvd a_function_whose_name_is_longer_than_the_column name string:s
probe 7 kv kvd "bad\x1b\nname" "x\xff" string:s
record 100 101 0 1 5000 6000
record 100 101 1 2 5000 6000 -128 -32768 -2147483648 -9223372036854775808 255 65535 4294967295 18446744073709551615 -7
record 100 101 1 2 5000 6000 127 32767 2147483647 9223372036854775807 0 0 0 0 99
record 100 101 17 3 5000 6000 true false 0 0x7fff12345678
record 100 101 100 4 5000 6000 0.1 0.1 1e300 nan -inf -0.0
record 100 101 1000 5 5000 6000 "" "" ""
record 100 101 0 5 5000 6000 "q\"b\\n\nt\tr\r" "\x00\x01\x1f\x7f" "\x0a\x0b\xff"
record 100 101 0 5 5000 6000 NULL NULL NULL
record 100 101 0 5 5000 6000 "cut"... ""... "\xab"...
record 100 101 0 5 5000 6000 "\xc3\xa9 \xe2\x82\xac \xf0\x9f\x90\x9e" "\xc2\x9b\xc2\xa0" ""
record 100 101 0 5 5000 6000 "\xc0\xaf \xed\xa0\x80 \xf4\x90\x80\x80" "\xe2\x82" "\x80"
record 100 101 0 5 5000 6000 "\xe0\x80\x80 \xf0\x80\x80\x80 \xf5" "\xe2\x82x\xc3" ""
record 100 101 0 5 5000 6000 "/usr/share/doc/tbuf/READ.ME" "/usr/share/doc/t\"buf" ""
record 100 101 0 5 5000 6000 "twelve and\\ eight and" "nine bytes of it\n" ""
record 100 101 0 5 5000 6000 "\x7fseven\x1f \xff at first" "eight an\x80" ""
record 100 101 -1 123456 5000 6000 "unknown CPU"
record 100 101 0 7 5000 6000 ""
END
ctl -n kv:::
# Without a record there is no heading.
play <<'END'
target 100 kvd
END
ctl -n kv:::
