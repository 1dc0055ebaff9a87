#pragma D option tregs=0

BEGIN
{
	exit(0);
}
