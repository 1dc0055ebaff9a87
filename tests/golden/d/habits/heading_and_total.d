#pragma D option quiet

dtrace:::BEGIN
{
	printf("%-12s %8s\n", "WHAT", "BYTES");
	@t["read"] = sum(100);
	@t["write"] = sum(2000);
	@all = sum(2100);
	exit(0);
}

dtrace:::END
{
	printa("%-12s %@8d\n", @t);
	printa("%@21d\n", @all);
}
