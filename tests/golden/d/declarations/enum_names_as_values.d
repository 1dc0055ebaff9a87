#pragma D option quiet

enum { ZERO, ONE, FIVE = 5, SIX };

BEGIN
{
	x = FIVE + SIX;
	printf("%d %d\n", x, ONE == 1);
	exit(0);
}
