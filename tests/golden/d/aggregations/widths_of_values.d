#pragma D option quiet

BEGIN
{
	@[5, "ab"] = sum(1);
	@[8, "c"] = sum(12);
	printa("[%d][%-6s][%@6d]\n", @);
	exit(0);
}
