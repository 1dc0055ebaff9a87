#pragma D option quiet

string names[int];
int i;

BEGIN
{
	names[0] = "read";
	names[1] = "write";
	names[2] = "read";
	names[3] = "open";
	names[4] = "read";
	names[5] = "write";
}

tick-1ms
/i < 6/
{
	@calls[names[i++]] = count();
}

tick-1ms
/i == 6/
{
	trunc(@calls, 2);
	printf("%-10s %s\n", "NAME", "COUNT");
	printa("%-10s %@d\n", @calls);
	exit(0);
}
