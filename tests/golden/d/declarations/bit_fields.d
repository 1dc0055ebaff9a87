#pragma D option quiet

struct bits {
	int a : 3;
	unsigned int b : 5;
};
struct bits v;

BEGIN
{
	v.a = 3;
	v.b = 31;
	printf("%d %d\n", v.a, v.b);
	v.a = 7;
	v.b = 33;
	printf("%d %d\n", v.a, v.b);
	exit(0);
}
