#pragma D option quiet

struct in {
	int a;
};
typedef struct out {
	int b;
	string s;
} out_t;
translator out_t < struct in *p > {
	b = p->a + 1;
	s = "made";
};

BEGIN
{
	this->p = (struct in *)alloca(sizeof (struct in));
	this->p->a = 41;
	this->o = xlate < out_t > (this->p);
	printf("%d %s\n", this->o.b, xlate < out_t > (this->p).s);
	exit(0);
}
