# SPDX-License-Identifier: BSD-2-Clause
. "$HERE/common_real"

# --stat shows the buffers of all consumers.
ctl --stat
start 3 4 enabled fire=3 say=fired wait
"$TBUFCTL" -q -x bufpolicy=ring -b 16k -n count -p $target >out 2>err &
ctl=$!
tell 3
hear 4 fired
"$TBUFCTL" --stat >stat
echo "= $?"
awk -v pid=$target -v ctl=$ctl 'NR == 1 { $1 = $1; print; next }
    $1 != pid || $2 != substr(ctl "/tbufctl", 1, 13) { print "whose is " $0 }
    { records += $7; rest += $8 + $9 + $10 + $11; kind[$3 " " $4] = 1 }
    END { for (k in kind) print k; print records, rest }' stat
"$TBUFCTL" --stat -p $target | cmp - stat
# JSON has the same values, with more digits.
"$TBUFCTL" --stat --format=json -p $target | python3 -c '
import json, sys
lanes = [json.loads(line) for line in sys.stdin]
print(len(lanes) == len(open("stat").readlines()) - 1,
    {lane["pid"] for lane in lanes} == {int(sys.argv[1])},
    {lane["consumer"] for lane in lanes} == {int(sys.argv[2])},
    len({lane["time"] for lane in lanes}))
print({lane["policy"] for lane in lanes}, {lane["size"] for lane in lanes},
    sum(lane["records"] for lane in lanes))' $target $ctl
# Each row is another lane's, though the target runs on one CPU.
awk 'NR > 1 { print $5 }' stat | sort | uniq -d
kill $ctl
wait $ctl
tell 3
wait
