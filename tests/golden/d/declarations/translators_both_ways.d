#pragma D option quiet

struct a { int x; };
struct b { int x; };

translator struct a < struct b *p > { x = p->x; };
translator struct b < struct a *p > { x = p->x * 2; };

struct a *q;
struct b *r;

BEGIN
{
	q = alloca(sizeof(struct a));
	q->x = 5;
	r = alloca(sizeof(struct b));
	r->x = 6;
	printf("%d %d\n", xlate <struct b> (q).x, xlate <struct a> (r).x);
	exit(0);
}
