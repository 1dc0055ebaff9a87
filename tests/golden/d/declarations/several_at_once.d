#pragma D option quiet

int a, b;
string s, t;

BEGIN
{
	a = 1;
	b = 2;
	s = "x";
	t = "y";
	printf("%d %d %s %s\n", a, b, s, t);
	exit(0);
}
