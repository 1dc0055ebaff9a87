# SPDX-License-Identifier: BSD-2-Clause
#
# A script that has tbufctl's own probes alone needs nobody, also if what it says
# of a provider makes it look at the targets that there are.
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
	trace("nobody");
	exit(2);
}
EOF
start 3 4 fire=2
ctl -q -s stable.d
tell 3
wait
