#pragma D option quiet

BEGIN
/x++ == 0/
{
	printf("%d\n", x);
}

BEGIN
/y == 0/
{
	printf("%d\n", y++);
}

BEGIN
{
	printf("%d %d\n", x, y);
	exit(0);
}
