# SPDX-License-Identifier: BSD-2-Clause
. "$HERE/common_real"

# A program installs a filter after its start that kills for copyin()'s call.
start 3 4 filter say=filter wait fire=1
tell 3
hear 4 filter
ctl -n 'count { trace(copyinstr((uintptr_t)arg0)); }' -p $target |
    sed 's/[0-9]*\.[0-9]*/N.N/g'
tell 3
wait $target
echo "target: $?"
