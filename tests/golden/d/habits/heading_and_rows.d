#pragma D option quiet

BEGIN
{
	printf("%-10s %6s %8s\n", "NAME", "COUNT", "TIME");
}

tick-1ms
/n < 2/
{
	printf("%-10s %6d %8x\n", n == 0 ? "first" : "second", n, n * 255);
	n++;
}
int n;

tick-1ms
/n == 2/
{
	exit(0);
}
