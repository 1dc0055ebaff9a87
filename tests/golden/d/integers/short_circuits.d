#pragma D option quiet

BEGIN
{
	printf("%d%d%d%d", 1 && 0, 1 || 0, 1 ^^ 1, 0 ^^ 5);
	printf("%d%d%d", !3, !0, !!9);
	n = 0;
	0 && n++;
	1 || n++;
	printf(" %d %d\n", n, ~0);
	exit(0);
}
