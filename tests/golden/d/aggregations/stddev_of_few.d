#pragma D option quiet

BEGIN
{
	@one = stddev(7);
	@two = stddev(1);
	@two = stddev(3);
	@far = stddev(-1000000000);
	@far = stddev(1000000000);
	printa("%@d %@d %@d\n", @one, @two, @far);
	exit(0);
}
