#pragma D option quiet

int a[4];
int *p;

BEGIN
{
	a[0] = 10;
	a[3] = 40;
	p = &a[0];
	printf("%d %d %d %d\n", *p, *(p + 3), p[3], &a[3] - &a[1]);
	*(p + 1) = 20;
	p[2] = 30;
	printf("%d %d\n", a[1], a[2]);
	exit(0);
}
