#pragma D option quiet

char c;
unsigned char u;

BEGIN
{
	c = -1;
	u = 255;
	printf("%d %d %d\n", c == u, (int)c == -1, u == 255);
	exit(0);
}
