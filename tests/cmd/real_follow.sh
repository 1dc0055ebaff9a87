# SPDX-License-Identifier: BSD-2-Clause
. "$HERE/common_real"

# Children are traced with --follow only.
ctl -q -n count -c "$TBUF_TARGET fire=2 fork=3"
"$TBUFCTL" -q --follow -n count -c "$TBUF_TARGET fire=2 fork=3" >out 2>err
echo "= $?"
sort out
normal <err

# One that its parent has left before it was a target is waited for.
mkfifo in messages
"$TBUFCTL" --follow -n count -c "$TBUF_TARGET fire=2 orphan=3" \
    <in >out 2>messages &
exec 3>in 4<messages
while read -r line <&4; do
	echo "$line" | normal
	case $line in
	*exited)
		break
	esac
done
echo >&3
normal <&4
wait $!
echo "= $?"
normal <out
