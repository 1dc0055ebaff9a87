#pragma D option quiet

BEGIN
{
	printf("%d%d%d%d\n", 1 && 2, 0 && 1, 1 && 0, 0 && 0);
	printf("%d%d%d%d\n", 1 || 0, 0 || 1, 0 || 0, 2 || 3);
	printf("%d%d%d%d\n", 1 ^^ 0, 0 ^^ 1, 0 ^^ 0, 2 ^^ 3);
	printf("%d%d\n", !0, !5);
	exit(0);
}
