#pragma D option quiet

struct raw {
	int bytes;
	int kind;
};
typedef struct info {
	int info_size;
	string info_kind;
} info_t;
translator info_t < struct raw *r > {
	info_size = r->bytes * 512;
	info_kind = r->kind == 1 ? "read" : "write";
};

BEGIN
{
	this->r = (struct raw *)alloca(sizeof (struct raw));
	this->r->bytes = 3;
	this->r->kind = 1;
	printf("%d %s\n", xlate <info_t *> (this->r)->info_size,
	    xlate <info_t *> (this->r)->info_kind);
	exit(0);
}
