#pragma D option quiet

typedef struct info {
	int half;
	string name;
	int twice;
} info_t;
struct raw {
	int n;
};
translator info_t < struct raw *r > {
	half = r->n / 2;
	name = r->n > 5 ? "large" : "small";
	twice = r->n * 2;
};

BEGIN
{
	this->r = (struct raw *)alloca(sizeof (struct raw));
	this->r->n = 10;
	printf("%d %s %d\n", xlate < info_t * > (this->r)->half,
	    xlate < info_t * > (this->r)->name,
	    xlate < info_t * > (this->r)->twice);
	exit(0);
}
