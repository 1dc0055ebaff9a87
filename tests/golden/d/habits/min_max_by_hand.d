#pragma D option quiet

int v, lo, hi;

BEGIN
{
	lo = 1000;
	v = 7;
}

tick-1ms
/v > 0/
{
	v = (v * 5 + 3) % 16;
	lo = v < lo ? v : lo;
	hi = v > hi ? v : hi;
	n++;
}
int n;

tick-1ms
/n >= 10 || v == 0/
{
	printf("%d %d %d\n", n, lo, hi);
	exit(0);
}
