# SPDX-License-Identifier: BSD-2-Clause
. "$HERE/common_real"

# A process in strict mode may make four system calls only.  It cannot enter
# that mode under a filter of system calls, such as a container's.
start 3 4 strict say=strict wait
tell 3
hear 4 strict
ctl -n count -p $target
kill -9 $target
wait
