#pragma D option quiet

unsigned char a;
short s;

BEGIN
{
	a = 253;
	printf("%d\n", a + a);
	s = 32767;
	s++;
	printf("%d\n", s);
	printf("%d\n", (char)100 + (char)100);
	exit(0);
}
