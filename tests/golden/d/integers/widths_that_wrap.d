#pragma D option quiet

char c;
unsigned char u;
short s;
uint32_t w;

BEGIN
{
	c = 127;
	c++;
	u = 255;
	u++;
	s = 40000;
	w = 0;
	w--;
	printf("%d %d %d %u\n", c, u, s, w);
	exit(0);
}
