#pragma D option quiet

BEGIN
{
	printf("%d %d %u\n", -8 >> 1, (char)0x80 >> 3, (unsigned char)0x80 >> 3);
	printf("%x %d\n", 1 << 31, 1L << 40);
	printf("%d %d %d %d\n", -7 / 2, -7 % 2, 7 / -2, 7 % -2);
	exit(0);
}
