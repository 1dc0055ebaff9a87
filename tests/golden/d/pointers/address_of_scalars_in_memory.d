#pragma D option quiet

BEGIN
{
	this->p = (char *)alloca(4);
	this->p[0] = 1;
	this->p[1] = 2;
	this->p[2] = 3;
	this->p[3] = 4;
	printf("%x\n", *(int *)this->p);
	this->q = (short *)(this->p + 1);
	*this->q = 0x1234;
	printf("%x %x\n", this->p[1], this->p[2]);
	exit(0);
}
