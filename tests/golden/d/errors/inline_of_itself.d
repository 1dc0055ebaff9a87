inline int f[int a] = f[a];

BEGIN
{
	exit(0);
}
