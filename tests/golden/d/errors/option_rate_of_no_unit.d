#pragma D option switchrate=5parsec

BEGIN
{
	exit(0);
}
