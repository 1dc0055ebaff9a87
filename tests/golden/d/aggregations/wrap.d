#pragma D option quiet

/* Sums wrap around; averages of both signs are cut towards 0. */
BEGIN
{
	@s = sum(9223372036854775807);
	@s = sum(1);
	@a = avg(-7);
	@a = avg(2);
	@n = min(-9223372036854775807 - 1);
	@x = max(-1);
	@d = stddev(-5);
	@d = stddev(5);
	printa("%@d %@d %@d %@d %@d\n", @s, @a, @n, @x, @d);
	exit(0);
}
