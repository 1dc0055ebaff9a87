# SPDX-License-Identifier: BSD-2-Clause
. "$HERE/common_real"

# All records of a killed target are read.  An older kernel may not know how it
# ended.
start 3 4 enabled fire=1000 kill=9
"$TBUFCTL" -q -x bufpolicy=ring -n count -p $target >out 2>err &
tell 3
wait $!
echo "= $?"
wc -l <out
normal <err | sed '/terminated by SIGKILL$/d'
wait
