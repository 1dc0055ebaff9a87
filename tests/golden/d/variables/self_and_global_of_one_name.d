#pragma D option quiet

int x;
self int x;
this int x;

BEGIN
{
	x = 1;
	self->x = 2;
	this->x = 3;
	printf("%d %d %d\n", x, self->x, this->x);
	x = self->x = this->x = 9;
	printf("%d %d %d\n", x, self->x, this->x);
	exit(0);
}
