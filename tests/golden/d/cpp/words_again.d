#pragma D option quiet

#include "words_of_c.h"

struct packet p;

BEGIN
{
	p.kind = 200;
	p.from = -3;
	p.to.bytes[15] = 1;
	printf("%d %d %d %d\n", p.kind, p.from, p.to.bytes[15],
	    sizeof (p));
	printf("%d %d\n", (uint8_t)257, errno);
	exit(0);
}
