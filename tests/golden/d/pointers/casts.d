#pragma D option quiet

struct two {
	int first;
	int second;
};

BEGIN
{
	this->t = (struct two *)alloca(sizeof (struct two));
	this->t->first = 7;
	this->n = (int *)this->t;
	this->n[1] = 8;
	printf("%d %d %d\n", *this->n, this->t->second, (*this->t).second);
	printf("%d %d\n", offsetof(struct two, second),
	    *(char *)(this->n + 1));
	exit(0);
}
