#pragma D option iregs=4

BEGIN
{
	exit(0);
}
