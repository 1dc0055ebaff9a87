#pragma D option quiet
#pragma D option aggpack

BEGIN
{
	@["a"] = quantize(1); @["a"] = quantize(8);
	@["b"] = quantize(1000, 5); @["b"] = quantize(4, -1);
	@line[1] = lquantize(15, 0, 50, 10);
	@count = count();
	exit(0);
}
