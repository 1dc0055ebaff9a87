#pragma D option quiet
#pragma D option printsize=8

struct s {
	int a;
	int b;
	long c;
	int d;
};

/* What is behind the bytes that were asked for is not told. */
BEGIN
{
	p = (struct s *)alloca(sizeof (struct s));
	p->a = 1;
	p->b = 2;
	p->c = 3;
	p->d = 4;
	print(p);
	exit(0);
}
