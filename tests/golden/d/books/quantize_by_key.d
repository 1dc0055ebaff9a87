#pragma D option quiet


BEGIN
{
	@["read"] = quantize(1); @["read"] = quantize(3); @["write"] = quantize(2);
	exit(0);
}
