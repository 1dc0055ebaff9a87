#pragma D option quiet

struct s { int a; string n; };

struct s g[int];
self struct s t;
this struct s c;

BEGIN
{
	g[3].a = 5;
	g[3].n = "five";
	g[4] = g[3];
	g[4].a++;
	self->t = g[4];
	this->c = self->t;
	this->c.n = "six";
	printf("%d %s %d %s %d %s\n", g[3].a, g[3].n, self->t.a, self->t.n,
	    this->c.a, this->c.n);
	exit(0);
}
