#pragma D option quiet

uint64_t a, b, t;

BEGIN
{
	a = 0;
	b = 1;
}

tick-1ms
{
	printf("%d ", a);
	t = a + b;
	a = b;
	b = t;
}

tick-1ms
/a > 50/
{
	printf("\n");
	exit(0);
}
