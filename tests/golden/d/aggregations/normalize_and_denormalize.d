#pragma D option quiet

BEGIN
{
	@a = sum(1000);
	@b = quantize(8, 6);
	normalize(@a, 10);
	normalize(@b, 3);
	printa("%@d\n", @a);
	printa(@b);
	denormalize(@a);
	printa("%@d\n", @a);
	exit(0);
}
