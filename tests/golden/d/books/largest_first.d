#pragma D option quiet

#pragma D option aggsortrev

BEGIN
{
	@["b"] = sum(1); @["a"] = sum(5); @["c"] = sum(3);
	printa("%s %@d\n", @);
	exit(0);
}
