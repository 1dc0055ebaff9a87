#pragma D option quiet

int a[3];
char c[4];

BEGIN
{
	a[0] = 1;
	a[2] = 0x10;
	c[0] = 'a';
	c[1] = 'b';
	print(a);
	print(c);
	exit(0);
}
