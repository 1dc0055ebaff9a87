#pragma D option quiet

BEGIN
{
	a = 1;
	a += (a = 10);
	printf("%d\n", a);
	exit(0);
}
