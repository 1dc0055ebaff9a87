#pragma D option quiet

BEGIN
{
	this->p = (char *)alloca(4);
	trace(this->p[4]);
}

ERROR
{
	printf("%d\n", arg4 == DTRACEFLT_BADADDR);
	exit(0);
}

#pragma D option noerror
