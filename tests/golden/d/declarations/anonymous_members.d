#pragma D option quiet

struct s {
	int a;
	union {
		int b;
		char c[4];
	};
};
struct s v;

BEGIN
{
	v.a = 1;
	v.b = 0x61;
	printf("%d %c %d\n", v.a, v.c[0], sizeof (struct s));
	exit(0);
}
