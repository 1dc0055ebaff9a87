#pragma D option quiet

BEGIN
{
	@hits["index"] = sum(30);
	@hits["about"] = sum(4);
	@hits["login"] = sum(12);
	@hits["logout"] = sum(12);
	@hits["news"] = sum(7);
	trunc(@hits, 3);
	exit(0);
}

END
{
	printa("%@5d %s\n", @hits);
}
