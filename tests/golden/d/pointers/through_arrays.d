#pragma D option quiet

int a[4];

BEGIN
{
	a[2] = 7;
	p = &a[1];
	printf("%d %d\n", *(p + 1), p[1]);
	*p = 9;
	printf("%d\n", a[1]);
	exit(0);
}
