#pragma D option quiet

BEGIN
{
	@a[5, "x"] = quantize(1);
	@a[5, "x"] = quantize(100, 3);
	printa("%@d%d %s\n", @a);
	@b = count();
	@q = quantize(1);
	printa("[%@d %@d]\n", @q, @b);
	exit(0);
}
