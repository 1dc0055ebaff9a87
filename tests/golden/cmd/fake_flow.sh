# SPDX-License-Identifier: BSD-2-Clause
. "$HERE/common_fake"

# -F indents all records between an entry and its return.
play <<'END'
target 100 kvd
probe 1 libc libc.so malloc entry uint64:size
probe 2 libc libc.so malloc return pointer:result
probe 3 kv kvd serve request-entry
probe 4 kv kvd serve request-return
probe 5 kv kvd serve gentry int32:n
probe 6 syscall x read entry
probe 7 syscall x read return
probe 8 kv kvd a_function_whose_name_is_longer_than_the_column entry int32:n
probe 9 kv kvd "a\x1b" return
record 100 101 0 3 1 1
record 100 101 0 1 2 1 16
record 100 101 0 5 3 1 -1
record 100 101 0 6 4 1
record 100 101 0 7 5 1
record 100 101 0 2 6 1 0x10
record 100 101 0 4 7 1
# Nothing is to the left of the margin.
record 100 101 0 4 7 1
record 100 101 0 8 8 1 1
record 100 101 0 9 9 1
# Another CPU, and another process, have depths of their own.
record 100 101 0 3 1 1
record 100 101 1 3 1 1
record 200 101 1 3 1 1
record 100 101 0 5 3 1 1
record 100 101 1 4 1 1
# Of several enablings of a probe the first one moves.
enabling 0
record 100 101 2 1 1 1 16
enabling 1
record 100 101 2 1 1 1 16
enabling 0
record 100 101 2 2 1 1 0
enabling 1
record 100 101 2 2 1 1 0
enabling 0
record 100 101 2 1 1 1 16
record 100 101 2 1 1 1 16
record 100 101 2 2 1 1 0
round
# What is read later begins at the margin.
record 100 101 2 5 3 1 1
END
ctl -F -n kv::: | sed 's/$/|/'
ctl -x flowindent -q --with=pid -n kv:::
ctl -F -x flowindent=no -q -n kv::: | sed -n 1,2p
ctl -F --format=json -n kv:::
ctl -x flowindent=maybe -n kv:::
