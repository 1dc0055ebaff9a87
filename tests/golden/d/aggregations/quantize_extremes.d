#pragma D option quiet

BEGIN
{
	@ = quantize(0x7fffffffffffffff);
	@ = quantize(-0x7fffffffffffffff - 1);
	@ = quantize(0);
	@low = quantize(1);
	@low = quantize(-1);
	printa(@low);
	printa("%@d\n", @);
	exit(0);
}
