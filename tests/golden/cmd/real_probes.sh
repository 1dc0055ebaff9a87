# SPDX-License-Identifier: BSD-2-Clause
. "$HERE/common_real"

# More probes than fit; the exact limits are tested elsewhere.
limits()
{
	sed -E -e 's/^(tbufctl: )[0-9]+ (probes of )/\1N \2/' \
	    -e 's/holds [0-9]+$/holds N/' -e 's/^ *[0-9]+ /ID /'
}
# The target's table has no room for some of them.
start 3 4 many=70000 say=many wait
tell 3
hear 4 many
ctl -l -n count -p "$target" 2>&1 | limits
mkfifo messages
"$TBUFCTL" -n count -p "$target" >out 2>messages &
exec 5<messages
while read -r line <&5; do
	echo "$line" | normal | limits
	[ "${line##* }" != full ] || break
done
tell 3
normal <&5
exec 5<&-
wait $!
echo "= $?"
# The session has no room for that many enablings of them.
start 6 7 many=4000 say=many wait
tell 6
hear 7 many
set -- -n many:::
for i in 1 2 3 4 5; do
	set -- "$@" "$@"
done
{ "$TBUFCTL" "$@" -p "$target" 2>&1; echo "= $?"; } | normal | limits
tell 6
wait
