# SPDX-License-Identifier: BSD-2-Clause
. "$HERE/common_real"

# -l and -lv.
start 3 4 enabled say=on wait
first=$target
ctl -l -p $target | sed -E 's/^ *[0-9]+ /ID /' | sort
for name in count no_arguments; do
	"$TBUFCTL" -lv -n $name -p $target | sed -E '1d;s/^ *[0-9]+ /ID /'
done
"$TBUFCTL" -lv -n strings -p $target | sed -E '1d;s/^ *[0-9]+ /ID /'
# The id that is listed is the id that -i takes.
id=$("$TBUFCTL" -l -n count -p $target | sed -n '2s/^ *\([0-9]*\) .*/\1/p')
"$TBUFCTL" -l -i $id -p $target | sed '1d;s/.* //'
# One target: no column for pids, while somebody traces neither.
"$TBUFCTL" -q -n count -p $target 2>err &
ctl=$!
tell 3
hear 4 on
"$TBUFCTL" -l -n count | sed -E 's/^ *[0-9]+ /ID /'
kill $ctl
wait $ctl
start 5 6
"$TBUFCTL" -l -n count -p $first -p $target |
    sed -E "s/^( *)$first /first /;s/^( *)$target /second /;s/ [0-9]+ / ID /" |
    LC_ALL=C sort
"$TBUFCTL" -l -n count | grep -c count
tell 3
tell 5
wait
ctl -l
