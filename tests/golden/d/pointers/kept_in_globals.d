#pragma D option quiet

int a[2];
int *p;

BEGIN
{
	a[1] = 3;
	p = &a[1];
}

BEGIN
{
	printf("%d\n", *p);
	*p = 4;
	printf("%d\n", a[1]);
	exit(0);
}
