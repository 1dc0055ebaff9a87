#pragma D option quiet

BEGIN
{
	trace(*(int *)NULL);
}

ERROR
{
	printf("%d %x\n", arg4 == DTRACEFLT_BADADDR, arg5);
	exit(0);
}
