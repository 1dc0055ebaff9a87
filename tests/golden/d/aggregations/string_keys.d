#pragma D option quiet

BEGIN
{
	@["b"] = sum(2);
	@["a"] = sum(1);
	@["c"] = sum(3);
	exit(0);
}
