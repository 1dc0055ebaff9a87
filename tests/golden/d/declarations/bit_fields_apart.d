#pragma D option quiet

/* A member of no width ends nothing here: fields take whole bytes. */
struct s { int a:3; int :0; int b:4; };

struct s v;

BEGIN
{
	v.a = 3;
	v.b = -5;
	printf("%d %d %d\n", sizeof(struct s), v.a, v.b);
	v.a += 2;
	v.b--;
	printf("%d %d\n", v.a, v.b);
	exit(0);
}
