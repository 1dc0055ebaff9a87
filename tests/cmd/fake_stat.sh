# SPDX-License-Identifier: BSD-2-Clause
. "$HERE/common_fake"

# --stat: a row a lane.
play <<'END'
target 100 kvd
lane 500 tbufctl 0 4194304 0 128 1000 0 1 2 3
lane 500 tbufctl 1 16384 1 0 0 0 0 0 0 locked
target 200 kvd
lane 2000000 "a b\x1b" 2 2048 127 2048 99999999999 88888888888 0 0 0
END
ctl --stat
ctl --stat -p 200
ctl --stat -x statusrate=2hz -b 4k -q
play </dev/null
ctl --stat
