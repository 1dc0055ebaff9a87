#pragma D option quiet

#pragma D option noerror

BEGIN
{
	this->a = (char *)alloca(8);
	this->a[0] = 'x';
	p = this->a;
}

BEGIN
{
	trace(*p);
}

ERROR
{
	printf("%d\n", arg4 == DTRACEFLT_BADADDR);
}

BEGIN
{
	this->b = (char *)alloca(8);
	printf("%d\n", this->b == p);
	exit(0);
}
