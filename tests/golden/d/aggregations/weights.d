#pragma D option quiet

BEGIN
{
	i = 100;
	@a = quantize(i, 5);
	@a = quantize(-i, -5);
	@b = lquantize(i, 0, 200, 50, i);
	@c = llquantize(i, 10, 0, 3, 10, i);
	exit(0);
}
