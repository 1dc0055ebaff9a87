#pragma D option quiet

#pragma D option aggsortkey

BEGIN
{
	@["b", 2] = sum(1); @["a", 9] = sum(5); @["b", 1] = sum(3);
	printa("%s %d %@d\n", @);
	exit(0);
}
