#pragma D option quiet

BEGIN
{
	this->p = (int *)alloca(2 * sizeof (int));
	this->p[0] = 1;
	this->p[1] = 2;
	this->q = (int *)alloca(2 * sizeof (int));
	bcopy(this->p, this->q, 8);
	printf("%d %d\n", this->q[0], this->q[1]);
	exit(0);
}
