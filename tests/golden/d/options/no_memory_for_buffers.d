#pragma D option bufresize=manual
#pragma D option bufsize=500t

BEGIN
{
	exit(0);
}
