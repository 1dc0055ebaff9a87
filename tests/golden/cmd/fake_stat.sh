# SPDX-License-Identifier: BSD-2-Clause
. "$HERE/common_fake"

# --stat prints a row for each lane.
play <<'END'
target 100 kvd
lane 500 tbufctl 0 4194304 0 128 1000 0 1 2 3
lane 500 tbufctl 1 16384 1 0 0 0 0 0 0 locked
target 200 kvd
lane 2000000 "a b\x1b" 2 2048 127 2048 99999999999 88888888888 0 0 0
lane 500 tbufctl 1 16384 2 16384 1000 0 0 0 0 locked 16000
lane 500 tbufctl 1 16384 3 16384 99999999999 0 0 0 0 locked 16000
lane 12345 tbufctl 0 10000 5 9999 9999999 99999999999 9999 99999 999999
lane 12345 tbufctl 0 67108864 5 10239 10000000 100000000000 10000 100000 1000000
lane 12345 a-long-name 2 1572864 999 1073741824 18446744073709551615 18446744073709551615 18446744073709551615 18446744073709551615 18446744073709551615
END
ctl --stat
# No row is wider than a terminal.
ctl --stat | awk 'length($0) > 80'
ctl --stat -p 200
ctl --stat -x statusrate=2hz -b 4k -q
# JSON has an object for each lane; all objects of a reading have its time.
"$TBUFCTL_FAKE" --stat --format=json | sed 's/"time":[1-9][0-9]*,/"time":NS,/'
"$TBUFCTL_FAKE" --stat --format=json | python3 -c '
import json, sys
print(len({json.loads(line)["time"] for line in sys.stdin}), "look")'
# On a terminal, it is redrawn from the first row on, truncated to the columns.
escape=$(printf '\033')
script -q -e -c "stty cols 40; echo \$\$ >pid; exec '$TBUFCTL_FAKE' \
    --stat=20ms" typescript </dev/null >script.out &
until [ -f typescript ] &&
    [ "$(grep -cF "${escape}[H" typescript)" -ge 3 ]; do
	sleep 0.02
done
kill -INT "$(cat pid)"
wait $!
echo "= $?"
sed -e '/^Script /d' -e 's/\r$//' -e "s/${escape}\[H/=\n/g" \
    -e "s/${escape}\[[JK]//g" typescript |
    awk 'BEGIN { RS = "=\n" } NR > 1 && $0 != "" && !seen++'
play </dev/null
ctl --stat --format=json
ctl --stat
