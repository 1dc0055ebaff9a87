/* With -32 long and pointers have 32 bits; types of a fixed size are as ever. */
struct mixed {
	char c;
	long l;
	char *p;
	long long ll;
	char end;
};

BEGIN
{
	printf("%d %d %d %d\n", sizeof (long), sizeof (unsigned long),
	    sizeof (void *), sizeof (long long));
	printf("%d %d %d %d\n", sizeof (int64_t), sizeof (uint64_t),
	    sizeof (size_t), sizeof (uintptr_t));
	printf("%d %d\n", sizeof (struct mixed), offsetof(struct mixed, ll));
	this->m = (struct mixed *)alloca(sizeof (struct mixed));
	this->m->l = 0x123456789abcdef0;
	this->m->ll = 0x123456789abcdef0;
	printf("%x %x\n", this->m->l, this->m->ll);
	printf("%d %d\n", (long)0x80000000, 0x80000000 > 0);
	printf("%d %d\n", sizeof (0x100000000), sizeof (1L));
	x = (long)-1;
	printf("%d %ld %x\n", x, x, (unsigned long)x);
	@[(long)7, 0x100000000] = count();
	exit(0);
}
