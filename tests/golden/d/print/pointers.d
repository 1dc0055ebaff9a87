#pragma D option quiet

struct inner {
	int x;
	int y;
};
struct outer {
	int a;
	struct inner in;
	char name[6];
	int *p;
};

BEGIN
{
	this->p = (struct outer *)alloca(sizeof (struct outer));
	this->p->a = 1;
	this->p->in.y = -2;
	this->p->name[0] = 'h';
	this->p->name[1] = 'i';
	print(this->p);
	exit(0);
}
