inline int a[4] = 4;

BEGIN
{
	exit(0);
}
