# SPDX-License-Identifier: BSD-2-Clause
#
# What is the same at each fire of a probe in a process is decided once: these
# fires are so many that it is.  A child has a pid of its own, and so has what
# execs.
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

# One that is alone at its probe is kept in another place.
alone 'pid == $target'
alone 'pid != $target && execname == "target"'
alone 'execname != "target" || probefunc == ""'
alone 'arg0 > 250 && (probename == "count" || arg0 == 1)'
