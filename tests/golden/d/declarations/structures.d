#pragma D option quiet

struct point {
	int x;
	int y;
};
typedef struct point point_t;
struct point p;

BEGIN
{
	p.x = 3;
	p.y = -4;
	printf("%d %d %d\n", p.x, p.y, sizeof (point_t));
	q = p;
	printf("%d %d\n", q.x, q.y);
	exit(0);
}
