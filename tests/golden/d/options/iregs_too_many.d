#pragma D option iregs=9

BEGIN
{
	exit(0);
}
