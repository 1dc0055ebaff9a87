#pragma D option quiet

BEGIN
{
	n = 64;
	printf("%d %d\n", 1 << n, 1 << (n + 1));
	printf("%d\n", 1LL << 40);
	exit(0);
}
