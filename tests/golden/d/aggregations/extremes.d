#pragma D option quiet

BEGIN
{
	@max = max(1ULL << 63);
	@min = min(1ULL << 63);
	@sum = sum(9223372036854775807);
	@sum = sum(1);
	@avg = avg((char)200);
	@avg = avg(-56);
	@dev = stddev(-5);
	@dev = stddev(5);
	printa("%@d %@d %@d %@d %@d\n", @max, @min, @sum, @avg, @dev);
	exit(0);
}
