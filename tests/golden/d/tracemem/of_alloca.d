#pragma D option quiet

BEGIN
{
	this->p = (char *)alloca(4);
	this->p[0] = 'A';
	this->p[3] = 'D';
	tracemem(this->p, 4);
	exit(0);
}
