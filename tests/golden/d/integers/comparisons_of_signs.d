#pragma D option quiet

BEGIN
{
	this->i = -1;
	this->u = 1U;
	printf("%d %d %d\n", this->i < this->u, -1 < 1, (long)-1 < 1U);
	printf("%d\n", (unsigned long)-1 > 0);
	exit(0);
}
