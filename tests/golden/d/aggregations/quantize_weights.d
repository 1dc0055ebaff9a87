#pragma D option quiet

BEGIN
{
	@["k"] = quantize(4, 3);
	@["k"] = quantize(100, 1);
	exit(0);
}
