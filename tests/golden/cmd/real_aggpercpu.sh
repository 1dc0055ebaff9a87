# SPDX-License-Identifier: BSD-2-Clause
. "$HERE/common_real"

# Values by CPU: the number of CPUs varies, and all but one have no value.
first()
{
	"$TBUFCTL" -x cpu=0 "$@" 2>&1 |
	    awk '/^    \[CPU [1-9]/ { skip = NF == 2; next }
		skip && /^$/ { skip = 0; next }
		!skip'
}

echo '# of tbufctl itself'
first -q -n '#pragma D option aggpercpu
BEGIN { @a["x", 1] = count(); @a["x", 1] = count(); @b = min(-3);
@c = quantize(4); @d = avg(3); @d = avg(6); @e = llquantize(7, 10, 0, 1, 10);
exit(0); }'

echo '# side by side, formatted, and after clear()'
first -q -x aggpercpu -n 'BEGIN { @a[1] = count(); @b[1] = max(3); @b[2] = max(4);
printa(@a, @b); printa("%d %@d\n", @b); clear(@b); printa(@b); exit(0); }' |
    sed 's/-9223372036854775808/LEAST/'

echo '# as many as there are CPUs'
last=$(sed 's/.*[-,]//' /sys/devices/system/cpu/online)
lines=$("$TBUFCTL" -q -x aggpercpu -n 'BEGIN { @a = count(); exit(0); }' |
    grep -c '^    \[CPU [0-9]*\] ')
[ "$lines" -eq $((last + 1)) ] || echo "$lines CPUs, the last is $last"

# Values aggregated on the lock path belong to no CPU.
echo '# at probes of programs'
"$TBUFCTL" -q --format=json -x aggpercpu -n ':::count { @a = count(); }' \
    -c "$TBUF_TARGET fire=1000" | sed -n 's/.*"value":\(.*\)}/\1/p' >counted
sed 's/,.*//' counted
sum=$(sed -e 's/.*\[//' -e 's/].*//' counted | tr , '\n' |
    awk '{ sum += $1 } END { print sum }')
case ${GLIBC_TUNABLES-} in
*rseq=0*) [ $sum -eq 0 ] ;;
*) [ $sum -gt 0 ] && [ $sum -le 1000 ] ;;
esac || echo "the CPUs' sum is $sum"
