/* A remainder has the quotient's sign; of constants alone that of C. */
#pragma D option quiet

int64_t least;

BEGIN
{
	x = 17;
	y = 7;
	printf("%d %d %d %d\n", x % y, x % -y, -x % y, -x % -y);
	printf("%d %d\n", x % -7, -x % -7);
	printf("%d %d\n", 17 % -7, -17 % -7);
	z = -1;
	least = 1LL << 63;
	printf("%d %d %d\n", least % z, least / z, x % z);
	x %= -y;
	printf("%d\n", x);
	exit(0);
}
