#pragma D option quiet

struct s {
	int a;
	int b;
};

BEGIN
{
	this->p = (struct s *)alloca(sizeof (struct s));
	this->p->a = 3;
	this->p->b = 4;
	this->v = *this->p;
	this->p->a = 5;
	printf("%d %d\n", this->v.a, this->v.b);
	exit(0);
}
