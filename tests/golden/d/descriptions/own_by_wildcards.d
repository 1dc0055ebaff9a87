#pragma D option quiet

/*
 * Wildcards at no program's probes: what clauses there may not do is no matter.
 */
:::
/progenyof($pid)/
{
	@[probename, stackdepth] = count();
}

*:::B*
{
	n[1].at = 5;
}

dtrace:::E*
{
	printf("%d %d\n", n[1].at, progenyof($pid));
}

tick-10ms
{
	exit(0);
}

struct pair {
	int at;
	int to;
} n[int];
