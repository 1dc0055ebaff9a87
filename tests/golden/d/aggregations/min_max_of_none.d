#pragma D option quiet

BEGIN
{
	@low = min(9);
	@low = min(-9);
	@high = max(-9);
	@high = max(-8);
	printa("%@d %@d\n", @low, @high);
	clear(@low);
	clear(@high);
	@a = avg(3);
	@a = avg(4);
	printa("%@d\n", @a);
	exit(0);
}
