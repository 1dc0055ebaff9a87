#pragma D option quiet

int zero;

BEGIN
{
	a = 1;
	b = 2;
	c = a / zero;
}

ERROR
{
	printf("%d %d %d %d\n", arg1, arg2, arg4, arg5);
	exit(0);
}
