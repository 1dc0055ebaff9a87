#pragma D option quiet

BEGIN
{
	x = 100000;
	this->p = alloca(x);
	exit(2);
}

ERROR
{
	exit(0);
}
