#pragma D option quiet

int x;
string s;

BEGIN
{
	printf("%d\n", x);
	x = 5;
}

BEGIN
{
	printf("%d\n", x);
	y = x * 2;
	s = "kept";
}

END
{
	printf("%d %s\n", y, s);
}

BEGIN
{
	exit(0);
}
