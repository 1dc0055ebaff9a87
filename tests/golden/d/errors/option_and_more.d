#pragma D option quiet extra

BEGIN
{
	exit(0);
}
