#pragma D option quiet

#pragma ident "%Z%%M% %I% %E% SMI"
#pragma D attributes Stable/Stable/Common provider dtrace name

BEGIN
{
	exit(0);
}
