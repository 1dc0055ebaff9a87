#pragma D option quiet

ERROR
{
	printf("%d %d %d\n", arg1, arg2, arg4);
	exit(1);
}

BEGIN
{
	x = 0;
	printf("%d\n", 1 / x);
}
