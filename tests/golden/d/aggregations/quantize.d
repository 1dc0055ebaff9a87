/* Powers of two, on both sides of 0. */
#pragma D option quiet

BEGIN
{
	@ = quantize(0); @ = quantize(1); @ = quantize(3); @ = quantize(4);
	@ = quantize(-1); @ = quantize(-2); @ = quantize(-3);
	@weighted = quantize(100, 10); @weighted = quantize(1000, 30);
	exit(0);
}
