#pragma D option quiet

int zero;

BEGIN
{
	trace(1 % zero);
}

ERROR
{
	printf("%d %d\n", arg4, arg4 == DTRACEFLT_DIVZERO);
	exit(0);
}
