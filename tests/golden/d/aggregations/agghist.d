#pragma D option quiet
#pragma D option agghist

BEGIN
{
	@["write"] = sum(30); @["read"] = sum(10);
	@down[1] = sum(-5); @down[2] = sum(5);
	@max[1] = max(3);
	exit(0);
}
