#pragma D option quiet

int64_t least;
int64_t minus;

BEGIN
{
	least = 1;
	least <<= 63;
	minus = -1;
	printf("%d %d\n", least / minus, least % minus);
	exit(0);
}
