/* Keys stay, with 0; what comes later counts from there. */
#pragma D option quiet

BEGIN
{
	@["a"] = sum(5); @["b"] = sum(6);
	@q = quantize(5);
	@avg = avg(5);
	clear(@); clear(@q); clear(@avg);
	printa(@); printa(@q); printa(@avg);
	exit(0);
}
