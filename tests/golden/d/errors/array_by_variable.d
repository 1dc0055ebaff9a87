int x, a[x];

BEGIN
{
	exit(0);
}
