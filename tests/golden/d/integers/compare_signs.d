#pragma D option quiet

BEGIN
{
	x = -1;
	printf("%d %d %d %d\n", x < 0, x > 0, x <= -1, x >= -1);
	u = (uint64_t)-1;
	printf("%d %d %d %d\n", u < 0, u > 0, u == -1, u != -1);
	exit(0);
}
