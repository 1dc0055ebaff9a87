#pragma D option quiet

BEGIN
{
	@a = count();
	@b = sum(3);
	printa("%@d %@d\n", @a, @b);
	clear(@a);
	printa("%@d %@d\n", @a, @b);
	trunc(@b);
	printa("%@d\n", @b);
	@b = sum(4);
	printa("%@d\n", @b);
	exit(0);
}
