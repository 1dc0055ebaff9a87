#pragma D option quiet
#pragma D option printsize=5

struct s {
	int a;
	char name[5];
	union {
		uint8_t low;
		uint64_t all;
	} u;
	struct {
		int x;
		struct {
			int y;
		} in;
	} pair[2];
	long last;
};

/* What is left out is told before the braces that are open are closed. */
BEGIN
{
	p = (struct s *)alloca(sizeof (struct s));
	p->a = 1;
	p->name[0] = 'h';
	p->name[1] = 'i';
	p->u.all = 258;
	p->pair[0].x = 3;
	p->pair[1].in.y = 4;
	p->last = 5;
	print(p);
	setopt("printsize", "24");
	print(p);
	setopt("printsize", "40");
	print(p);
	setopt("printsize", "41");
	print(p);
	exit(0);
}
