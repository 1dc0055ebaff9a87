#pragma D option linkmode=loose

BEGIN
{
	exit(0);
}
