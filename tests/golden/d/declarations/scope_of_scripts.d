#pragma D option quiet

struct point {
	int x;
	int y;
};
typedef struct point point_t;

D`point_t at;

BEGIN
{
	at.y = 7;
	this->p = (struct D`point *)alloca(sizeof (D`point_t));
	*this->p = at;
	printf("%d %d %d\n", sizeof (C`uint16_t), sizeof (struct D`point),
	    ((D`point_t *)this->p)->y);
	exit(0);
}
