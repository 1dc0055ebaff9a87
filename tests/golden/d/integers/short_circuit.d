#pragma D option quiet

BEGIN
{
	a = 0;
	b = 0;
	this->r = a && b++;
	printf("%d %d\n", this->r, b);
	this->r = 1 || b++;
	printf("%d %d\n", this->r, b);
	this->r = 1 ^^ b++;
	printf("%d %d\n", this->r, b);
	exit(0);
}
