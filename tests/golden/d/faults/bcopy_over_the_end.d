#pragma D option quiet

BEGIN
{
	this->a = (char *)alloca(8);
	this->b = (char *)alloca(4);
	bcopy(this->a, this->b, 8);
}

BEGIN
{
	exit(0);
}
