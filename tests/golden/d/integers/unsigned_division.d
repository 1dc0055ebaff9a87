#pragma D option quiet

uint64_t u;

BEGIN
{
	u = -1;
	printf("%d %d\n", u / 2, u % 10);
	printf("%d\n", u >> 63);
	exit(0);
}
