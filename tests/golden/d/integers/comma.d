#pragma D option quiet

BEGIN
{
	x = (a = 1, b = 2, a + b);
	printf("%d %d %d\n", x, a, b);
	exit(0);
}
