# SPDX-License-Identifier: BSD-2-Clause
. "$HERE/common_fake"

# --left prints a line for each file of a dead process, and the number of a
# program's removed files.
play <<'END'
file 100 kvd tbuf.100.0 0 1000000000 0 0 0
file 2000000 a-name-that-is-too-long-for-its-column tbuf.2000000.1 1 1700000000000000000 1048576 3 0
file 9 "a b\x1b\"" tbuf.9.2 2 1700000000999999999 18446744073709551615 0 0
file 300 kvd tbuf.300.3 0 1000000001 5000 2 0
file 400 kvd tbuf.400.4 3 1000000002 5000 1 0
file 500 kvd tbuf.500.5 4 1000000003 5000 0 11
file 501 kvd tbuf.501.6 4 1000000003 5000 0 35
file 600 kvd tbuf.600.7 5 1000000003 5000 0 0
END
ctl --left
ctl --left --format=json
ctl --left=remove
ctl --left=remove=365d
ctl -q --left
ctl -q --left=remove
play </dev/null
ctl --left
ctl --left=remove
play <<'END'
fail left EPERM
END
ctl --left
ctl --left=remove

ctl --snapshot
ctl --snapshot=x
ctl --snapshot -p 7
ctl --snapshot -c true
ctl --stat --snapshot
ctl --left=x
ctl --left=remove=x
ctl --left=removed
ctl --left -p 7
ctl --left --stat
ctl --left -l
ctl --left -n a
ctl --left --read x
