#pragma D option bufresize=manual
#pragma D option aggsize=500t

BEGIN
{
	@[probename] = count();
	exit(0);
}
