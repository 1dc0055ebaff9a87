#pragma D option quiet

BEGIN
{
	n["a"] = 1; n["b"] = 2; n["c"] = n["a"] + n["b"];
	n["d"] += n["c"];
	printf("%d %d %d\n", n["c"], n["d"], n["e"]);
	exit(0);
}
