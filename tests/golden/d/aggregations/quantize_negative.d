/* Increments may be negative: the axis is in the middle, or on the right. */
#pragma D option quiet

BEGIN
{
	@both = quantize(1, 30); @both = quantize(2, -10);
	@below = quantize(1, -3); @below = quantize(4, -1);
	@none = quantize(5, 1); @none = quantize(5, -1);
	exit(0);
}
