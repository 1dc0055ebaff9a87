#pragma D option define=X=1

BEGIN
{
	exit(0);
}
