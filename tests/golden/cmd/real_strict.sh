# SPDX-License-Identifier: BSD-2-Clause
. "$HERE/common_real"

# A process that may make no calls but four.  It cannot become one under a
# filter of system calls, such as a container's.
start 3 4 strict say=strict wait
tell 3
hear 4 strict
ctl -n count -p $target
kill -9 $target
wait
