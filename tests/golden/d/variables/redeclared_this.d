#pragma D option quiet

this x;

BEGIN
{
	this->x = 5;
	printf("%d %d\n", this->x, sizeof (this->x));
	exit(0);
}
