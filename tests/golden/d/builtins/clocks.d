#pragma D option quiet

BEGIN
{
	t = timestamp;
	w = walltimestamp;
	printf("%d %d\n", t == timestamp, w > 1000000000000000000);
}

BEGIN
{
	printf("%d %d\n", timestamp >= t, vtimestamp >= 0);
	exit(0);
}
