#pragma D option quiet

BEGIN
{
	p = (int *)alloca(8);
	p[2] = 2;
	exit(0);
}

ERROR
{
	printf("%d\n", arg4 == DTRACEFLT_BADADDR);
	exit(1);
}
