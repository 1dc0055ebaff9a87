#pragma D option quiet

struct point {
	int x, y;
	char tag[4];
};
struct point p, q;

BEGIN
{
	p.x = 3;
	p.y = -4;
	p.tag[0] = 'h';
	p.tag[1] = 'i';
	q = p;
	p.x = 0;
	printf("%d %d %s %d\n", q.x, q.y, stringof(q.tag), p.x);
	printf("%d\n", sizeof (struct point));
	exit(0);
}
