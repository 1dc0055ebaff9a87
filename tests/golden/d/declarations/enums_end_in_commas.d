#pragma D option quiet

enum kind {
	SMALL,
	LARGE = 7,
	HUGE,
};

typedef enum { OFF, ON, } switch_t;

BEGIN
{
	this->s = (switch_t)ON;
	printf("%d %d %d\n", HUGE, this->s, sizeof (enum kind));
	exit(0);
}
