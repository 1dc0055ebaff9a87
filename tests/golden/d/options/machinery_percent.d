#pragma D option buflimit=101

BEGIN
{
	exit(0);
}
