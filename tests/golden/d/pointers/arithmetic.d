#pragma D option quiet

int a[8];

BEGIN
{
	p = &a[2];
	q = &a[6];
	*(p + 1) = 5;
	printf("%d %d %d\n", a[3], q - p, q > p);
	p++;
	printf("%d\n", *p);
	exit(0);
}
