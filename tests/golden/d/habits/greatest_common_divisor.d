#pragma D option quiet

int a, b, t;

BEGIN
{
	a = $1;
	b = $2;
}

tick-1ms
/b != 0/
{
	t = a % b;
	a = b;
	b = t;
}

tick-1ms
/b == 0/
{
	printf("%d\n", a);
	exit(0);
}
