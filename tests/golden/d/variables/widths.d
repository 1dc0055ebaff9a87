#pragma D option quiet

char c;
unsigned char uc;
short s;
int i;
long l;

BEGIN
{
	c = 200;
	uc = 300;
	s = 70000;
	i = 5000000000;
	l = 5000000000;
	printf("%d %d %d %d %d\n", c, uc, s, i, l);
	exit(0);
}
