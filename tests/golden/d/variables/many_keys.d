#pragma D option quiet

BEGIN
{
	a[1, "x", (char)2, 3LL] = 4;
	printf("%d %d\n", a[1, "x", (char)2, 3LL], a[1, "x", (char)2, 4LL]);
	exit(0);
}
