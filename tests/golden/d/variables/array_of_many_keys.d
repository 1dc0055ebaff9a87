#pragma D option quiet

BEGIN
{
	a["x", 1, 2L] = 10;
	a["x", 1, 3L] = 20;
	a["x", 1, 2L] += a["x", 1, 3L];
	printf("%d %d %d\n", a["x", 1, 2L], a["x", 1, 3L], a["y", 0, 0L]);
	a["x", 1, 2L] = 0;
	printf("%d\n", a["x", 1, 2L]);
	exit(0);
}
