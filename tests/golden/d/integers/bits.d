#pragma D option quiet

BEGIN
{
	printf("%d %d %d %d\n", 12 & 10, 12 | 10, 12 ^ 10, ~12);
	printf("%d %d %d\n", 1 << 4, 256 >> 4, -16 >> 2);
	printf("%x\n", (unsigned int)-16 >> 4);
	exit(0);
}
