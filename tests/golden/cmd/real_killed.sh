# SPDX-License-Identifier: BSD-2-Clause
. "$HERE/common_real"

# A target that is killed: every record is there.  How it ended an older
# kernel may have forgotten.
start 3 4 enabled fire=1000 kill=9
"$TBUFCTL" -q -x bufpolicy=ring -n count -p $target >out 2>err &
tell 3
wait $!
echo "= $?"
wc -l <out
normal <err | sed '/terminated by SIGKILL$/d'
wait
