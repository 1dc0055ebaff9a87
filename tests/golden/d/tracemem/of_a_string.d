BEGIN
{
	this->p = (char *)alloca(16);
	bcopy("0123456789abcde", this->p, 16);
	tracemem(this->p, 16);
	tracemem(this->p, 16, 5);
	exit(0);
}
