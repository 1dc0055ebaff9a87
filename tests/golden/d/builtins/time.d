#pragma D option quiet

BEGIN
{
	printf("%d %d\n", timestamp == timestamp, timestamp > 0);
	printf("%d\n", walltimestamp > 1000000000000000000);
	exit(0);
}
