#pragma D option quiet

int i;

BEGIN
{
	i = 40;
	i += 2;
	printf("%d ", i);
	i -= 12;
	printf("%d ", i);
	i *= 3;
	printf("%d ", i);
	i /= 4;
	printf("%d ", i);
	i %= 15;
	printf("%d ", i);
	i <<= 4;
	printf("%d ", i);
	i >>= 2;
	printf("%d ", i);
	i |= 3;
	printf("%d ", i);
	i &= 0xe;
	printf("%d ", i);
	i ^= 0xff;
	printf("%d\n", i);
	exit(0);
}
