#pragma D option quiet
#pragma D option dynvarsize=79

struct pair { int x; };
union either { int i; char c[4]; };

this struct pair one;
self struct pair mine;
union either any[int];

/* An element is 20 bytes: there is room for three, and for one that is freed. */
BEGIN
{
	this->one.x = 1;
	a[1] = this->one;
	a[2] = this->one;
	any[1].i = 5;
	a[1] = 0;
	this->one.x = 4;
	a[4] = this->one;
	any[1] = 0;
	any[2].i = 6;
	printf("%d %d %d\n", a[2].x, a[4].x, any[2].i);
	a[2] = 0;
	self->mine = this->one;
	printf("%d\n", self->mine.x);
	self->mine = 0;
	a[5] = this->one;
	printf("%d\n", a[5].x);
	exit(0);
}
