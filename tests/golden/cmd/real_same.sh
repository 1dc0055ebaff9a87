# SPDX-License-Identifier: BSD-2-Clause
#
# Conditions that are constant for a probe in a process are evaluated once;
# there are enough fires for that.  A child, or another image, has values of its
# own.
. "$HERE/common_real"

cat >same.d <<'EOD'
tt:::count
/pid == $target/
{
	@["parent"] = count();
}

tt:::count
/pid != $target && arg0 > 100/
{
	@["child, late"] = count();
}

tt:::count
/execname == "target" && probename == "count"/
{
	@["both"] = count();
}

tt:::count
/execname == "targe" || execname == "targets"/
{
	@["neither"] = count();
}

tt:::count
/arg0 <= 100 && !(probeprov == "tu" || pid == 1)/
{
	@["early"] = count();
	@sums["early"] = sum(arg0);
}

tt:::
/probename != "count"/
{
	@["another"] = count();
}
EOD
alone()
{
	ctl -q --follow -n "tt:::count /$1/ { @ = count(); }" \
	    -c "$TBUF_TARGET fire=300 fork=300 spawn=200"
}

ctl -q --follow -s same.d -c "$TBUF_TARGET fire=300 fork=300 spawn=200"

# A clause that is alone at its probe has its plan in another place.
alone 'pid == $target'
alone 'pid != $target && execname == "target"'
alone 'execname != "target" || probefunc == ""'
alone 'arg0 > 250 && (probename == "count" || arg0 == 1)'
