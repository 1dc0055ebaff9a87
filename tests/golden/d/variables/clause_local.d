#pragma D option quiet

this int n;

BEGIN
{
	this->n = 3;
	this->x = 4;
}

BEGIN
{
	printf("%d %d\n", this->n, this->x);
	exit(0);
}
