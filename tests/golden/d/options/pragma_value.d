#pragma D option bufsize=large

BEGIN
{
	exit(0);
}
