#pragma D option quiet

struct s { int a; int b[2]; };

BEGIN
{
	x = (struct s *)8;
	printf("%d %d %d\n", (long)&x->a, (long)&x->b[1], sizeof(x->b));
	printf("%d %d\n", sizeof(*x), !x);
	exit(0);
}
