# SPDX-License-Identifier: BSD-2-Clause
#
# A script with tbufctl's own probes only needs no target, even if its text
# about a provider makes it look at existing targets.
. "$HERE/common_real"

cat >stable.d <<'EOF'
provider disk
{
	probe idle(void);
};

#pragma D attributes Stable/Stable/Common provider disk provider
#pragma D attributes Stable/Stable/Common provider tt provider

BEGIN
{
	trace("own probes");
	exit(2);
}
EOF
start 3 4 fire=2
ctl -q -s stable.d
tell 3
wait
