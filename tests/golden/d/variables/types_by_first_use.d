#pragma D option quiet

BEGIN
{
	a = (char)300;
	b = 5;
	c = 5LL;
	printf("%d %d %d %d\n", a, sizeof (a), sizeof (b), sizeof (c));
	exit(0);
}
