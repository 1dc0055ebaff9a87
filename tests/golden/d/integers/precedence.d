#pragma D option quiet

BEGIN
{
	printf("%d %d %d\n", 2 + 3 * 4, (2 + 3) * 4, 20 - 5 - 3);
	printf("%d %d\n", 1 << 2 + 1, 1 | 2 ^ 3 & 4);
	printf("%d %d\n", 1 ? 2 : 3 ? 4 : 5, 0 ? 2 : 0 ? 4 : 5);
	printf("%d\n", -2 * -3);
	printf("%d\n", (1, 2, 3));
	exit(0);
}
