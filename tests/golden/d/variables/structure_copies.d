#pragma D option quiet

struct point {
	int x;
	char name[8];
};
struct point a;
struct point b;

BEGIN
{
	a.x = 1;
	a.name[0] = 'a';
	b = a;
	a.x = 2;
	printf("%d %s %d\n", b.x, b.name, a.x);
	exit(0);
}
