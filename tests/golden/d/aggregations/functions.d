/* Each function, of the same five values. */
#pragma D option quiet

BEGIN
{
	@count = count(); @sum = sum(10); @min = min(10); @max = max(10);
	@avg = avg(10); @stddev = stddev(10);
}

BEGIN
{
	@count = count(); @sum = sum(20); @min = min(20); @max = max(20);
	@avg = avg(20); @stddev = stddev(20);
}

BEGIN
{
	@count = count(); @sum = sum(-30); @min = min(-30); @max = max(-30);
	@avg = avg(-30); @stddev = stddev(-30);
	exit(0);
}
