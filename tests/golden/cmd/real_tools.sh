# SPDX-License-Identifier: BSD-2-Clause
. "$HERE/common_real"

# While all programs are traced, other instances of tbufctl are not targets:
# they are neither listed nor reported.
start 3 4 fire=2
mkfifo err
"$TBUFCTL" -n count -o out 2>err &
consumer=$!
exec 5<err
read -r matched <&5
echo "$matched"
echo "lists: $("$TBUFCTL" --stat --format=json | sed 's/.*"pid":\([0-9]*\).*/\1/' |
    sort -u | sed "s/^$target\$/the target/")"
ctl -q -n 'BEGIN { exit(0); }'
ctl --left
tell 3
wait $target
kill -INT $consumer
wait $consumer
normal <&5
