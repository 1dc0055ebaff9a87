inline int a[] = 4;

BEGIN
{
	exit(0);
}
