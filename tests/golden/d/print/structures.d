#pragma D option quiet

struct inner {
	int x;
	int y;
};
struct outer {
	int a;
	int b : 7;
	struct inner c;
	char d[8];
	int e[3];
};
struct outer v;

BEGIN
{
	v.a = 1;
	v.b = 5;
	v.c.x = 2;
	v.d[0] = 'h';
	v.d[1] = 'i';
	v.e[1] = 3;
	print(v);
	printf("\n");
	exit(0);
}
