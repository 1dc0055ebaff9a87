void a[5];

BEGIN
{
	exit(0);
}
