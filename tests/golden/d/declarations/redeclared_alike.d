#pragma D option quiet

int x, x;
int a[int], a[int];
struct s;
struct s { int m; };
struct s v, v;

BEGIN
{
	x = 1;
	a[2] = 3;
	v.m = 4;
	printf("%d %d %d\n", x, a[2], v.m);
	exit(0);
}
