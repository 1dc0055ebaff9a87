# SPDX-License-Identifier: BSD-2-Clause
. "$HERE/common_real"

# Aggregations as metrics.  The clauses run in tbufctl.
metrics()
{
	echo "\$ $*"
	"$TBUFCTL" -q --format=prometheus -s script.d "$@" 2>&1 |
	    sed -E -e 's/consumer="[0-9]+"/consumer="PID"/' \
	    -e '/^# |^tbuf_run_.* 0$/d'
}

# count() is a counter, and clear(), trunc() and normalize() leave it.
cat >script.d <<'END'
BEGIN { @n["a\"b\\\n\xff\x01"] = count(); @n["x"] = count(); }
BEGIN { clear(@n); }
BEGIN { @n["x"] = count(); @n["y"] = count(); @n["y"] = count(); }
BEGIN { trunc(@n, 1); normalize(@n, 10); }
BEGIN { @n["x"] = count(); @n["y"] = count(); trunc(@n); }
BEGIN { @n["z"] = count(); exit(0); }
END
metrics -x metric=@n:kv_n_total:1:op
metrics -x metric=@n:kv_n_total:1:op -x metrickeys=2
# HELP and TYPE are there without a value.
"$TBUFCTL" -q --format=prometheus -n 'BEGIN { exit(0); } END /0/ {
    @n = count(); @a = avg(1); @l = quantize(1); @m = max(1); @s = sum(1); }' \
    -x metric=@n:kv_n_total -x metric=@a:kv_a -x metric=@l:kv_l \
    -x metric=@m:kv_m -x metric=@s:kv_s 2>&1 | grep -v '^tbuf_run'

# A histogram has the same bounds whatever has been seen.
cat >script.d <<'END'
BEGIN { @l["a"] = quantize(1); @l["a"] = quantize(-7); @s["a"] = sum(-6); }
BEGIN { @l["b"] = quantize(1000000000000); @l["c"] = quantize(1 << 62); }
BEGIN { @s["c"] = sum(1 << 62); clear(@l); clear(@s); @l["a"] = quantize(2); }
BEGIN { @s["a"] = sum(2); @s["only"] = sum(1); exit(0); }
END
metrics -x metric=@l:kv_seconds:1e-9:op | grep -c 'op="a",le='
metrics -x metric=@l:kv_seconds:1e-9:op -x metric=@s:kv_seconds:1e-9:op \
    -x metricbounds=0,7
metrics -x metric=@s:kv_seconds:1e-9:op -x metric=@l:kv_seconds:1:op \
    -x metricbounds=0x7ffffffffffffff,0x7fffffffffffffff
metrics -x metric=@l:kv_seconds:0.25:op -x metricbounds=0,7 -x metrickeys=1
cat >script.d <<'END'
BEGIN { @l = lquantize(15, -10, 20, 10); @l = lquantize(-11, -10, 20, 10); }
BEGIN { @q = llquantize(15, 10, 0, 1, 10); exit(0); }
END
metrics -x metric=@l:kv_l -x metric=@q:kv_q

# The others: gauges of the present value, and a summary of an average.
cat >script.d <<'END'
BEGIN { @a[1, 'c', "d"] = avg(5); @a[1, 'c', "d"] = avg(10); }
BEGIN { @m[-1] = min(3); @m[-1] = min(-2); @x[-1] = max(3); @s[-1] = sum(3); }
BEGIN { @m[2] = min(1); @x[2] = max(7); @s[2] = sum(9); }
BEGIN { clear(@a); @a[1, 'c', "d"] = avg(-20); @s[2] = sum(-10); exit(0); }
END
metrics -x metric=@a:kv_a:1e3:one,two,three -x metric=@m:kv_m:1e-1:k \
    -x metric=@x:kv_x:1.5:k -x metric=@s:kv_s:1:k
metrics -x metric=@m:kv_m:1:k -x metric=@x:kv_x:1:k -x metric=@s:kv_s:1:k \
    -x metrickeys=1

# Wrong ones are refused by name.
wrong()
{
	echo "\$ $*"
	"$TBUFCTL" -q --format=prometheus -n 'BEGIN {
	    @n["a"] = count(); @d["a"] = stddev(1); @u[ustack()] = count();
	    @l["a"] = quantize(1); @s["a"] = sum(1); exit(0); }' "$@" 2>&1
	echo "= $?"
}
for metric in '' n:kv @n '@n:' '@n-:kv' @none:kv @n:kv-x @n:9 @n:tbuf_n \
    @n:kv_sum @n:kv: @n:kv:0 @n:kv:-1 @n:kv:inf @n:kv:1x @n:kv:1 @n:kv:1: \
    @n:kv:1:a,b @n:kv:1:a,a @n:kv:1:le @n:kv:1:__a @d:kv:1:a @u:kv:1:a; do
	wrong -x "metric=$metric"
done
wrong -x metric
wrong -x metric=@n:kv:1:a -x metric=@n:kv:1:a
wrong -x metric=@l:kv:1:a -x metric=@s:kv:1:b
wrong -x metric=@l:kv:1:a -x metric=@s:kv:1:a -x metric=@s:kv:1:a
wrong -x metricbounds
wrong -x metricbounds=1
wrong -x metricbounds=2,1
wrong -x metricbounds=1,2x
wrong -x metrickeys=0
wrong -x metrickeys=1000001
ctl -q -x metric=@n:kv -n 'BEGIN { @n = count(); exit(0); }'
ctl -q --format=prometheus -x metric=@n:kv -n tt:::none
ctl -q --format=prometheus -o /dev/full -n 'BEGIN { exit(0); }'
ctl -q --format=prometheus -o none/file -n 'BEGIN { exit(0); }'
