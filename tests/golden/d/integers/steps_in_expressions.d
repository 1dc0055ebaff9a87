#pragma D option quiet

BEGIN
{
	x = 5;
	y = x++ + x++;
	printf("%d %d\n", y, x);
	printf("%d %d\n", -x--, ~x);
	printf("%d %d %d\n", - -x, !!x, !x);
	a[x] = 1;
	a[x++]++;
	printf("%d %d\n", a[6], x);
	exit(0);
}
