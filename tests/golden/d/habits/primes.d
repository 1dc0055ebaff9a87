#pragma D option quiet

int n, d;

BEGIN
{
	n = 2;
	d = 2;
}

tick-1ms
/d * d > n/
{
	printf("%d ", n);
	n++;
	d = 2;
}

tick-1ms
/d * d <= n && n % d == 0/
{
	n++;
	d = 2;
}

tick-1ms
/d * d <= n && n % d != 0/
{
	d++;
}

tick-1ms
/n > 13/
{
	printf("\n");
	exit(0);
}
