/* By value, then by key. */
#pragma D option quiet

BEGIN
{
	@[3] = sum(5); @[1] = sum(7); @[2] = sum(5); @[4] = sum(-1);
	@q["two"] = quantize(2); @q["two"] = quantize(2);
	@q["three"] = quantize(4); @q["one"] = quantize(1);
	exit(0);
}
