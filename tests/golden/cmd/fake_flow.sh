# SPDX-License-Identifier: BSD-2-Clause
. "$HERE/common_fake"

# -F indents all records of a thread between an entry and its return, which has
# the time from the entry.
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
# A return without an entry changes nothing.
record 100 101 0 4 7 1
record 100 101 0 8 8 1 1
record 100 101 0 9 9 1
# Each thread of each process has a depth of its own, on whichever CPU it is.
record 100 102 0 3 1000 1
record 100 103 0 3 1001 1
record 200 102 1 3 1002 1
record 100 102 1 1 1003 1 16
record 100 103 0 1 1004 1 16
record 200 102 1 5 1005 1 1
record 100 102 0 2 2243 1 0
record 100 103 1 2 1000003 1 0
record 100 102 1 4 1001000 1
record 200 102 0 4 1234001002 1
record 100 103 0 4 99999999001001 1
# Of several enablings of a probe the first one moves.
enabling 0
record 100 104 2 1 1 1 16
enabling 1
record 100 104 2 1 1 1 16
enabling 0
record 100 104 2 1 2 1 16
enabling 1
record 100 104 2 1 2 1 16
enabling 0
record 100 104 2 2 3 1 0
enabling 1
record 100 104 2 2 3 1 0
enabling 0
record 100 104 2 2 4 1 0
# A return ends the entries after its own, whose returns are missing.
record 100 105 0 3 1 1
record 100 105 0 1 2 1 16
record 100 105 0 6 3 1
record 100 105 0 4 11 1
# Records that come late are indented by the entries before their time.
record 100 105 0 3 20 1
record 100 105 0 1 25 1 16
record 100 105 0 3 22 1
record 100 105 0 4 24 1
record 100 105 0 4 30 1
record 100 106 0 3 40 1
record 200 102 0 3 40 1
# Losses of a process may be entries and returns.
drops 100 0 full 3
record 100 106 0 5 41 1 1
record 200 102 0 5 41 1 1
exit 200
record 200 102 0 5 42 1 1
record 100 106 0 3 43 1
round
# Without an order by time, what is read later begins at the margin.
record 100 106 2 5 44 1 1
END
ctl -F -n kv::: | sed 's/$/|/'
ctl -x flowindent -q --with=pid -n kv:::
ctl -F -x flowindent=no -q -n kv::: | sed -n 1,2p
ctl -F --format=json -n kv:::
{
	echo option temporal 1
	cat script
} >ordered
mv ordered script
ctl -F -q -n kv::: | tail -n 3
{
	echo option bufpolicy 2
	cat script
} >ring
mv ring script
ctl -F -q -n kv::: | tail -n 3
ctl -F -q --read=file -n kv::: | tail -n 3

# Of functions, words whose meaning is not known are not shown.
play <<'END'
target 100 kvd
probe 1 pid100 a.out f entry int64:arg0 int64:arg1
probe 2 pid100 a.out f return uint64:arg0 int64:arg1
probe 3 pid100 a.out g entry int32:n int64:arg1
probe 4 other a.out h entry int64:arg0
record 100 101 0 1 1 1 7 8
record 100 101 0 3 2 1 7 8
record 100 101 0 4 3 1 7
record 100 101 0 2 4 1 12 9
END
ctl -F -q -n kv:::
ctl -F -q --with=tid -n kv::: | sed -n 3p
ctl -q -n kv:::

# -F orders records by time, unless another option says otherwise.
play <<END
show
target 100 kvd
END
ctl -F -n kv::: | grep set
ctl -x flowindent -x temporal=no -n kv::: | grep set
ctl -x temporal -n kv::: | grep set
printf '#pragma D option flowindent\nBEGIN { exit(0); }\n' >script.d
ctl -q -s script.d | grep set
ctl -x flowindent=maybe -n kv:::
