#pragma D option quiet

BEGIN
{
	a = b = 5;
	printf("%d %d %d\n", a, b, c = 6);
	exit(0);
}
