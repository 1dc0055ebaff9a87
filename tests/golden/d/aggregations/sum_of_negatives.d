#pragma D option quiet

BEGIN
{
	@["up"] = sum(5);
	@["up"] = sum(-7);
	@["down"] = sum(-3);
	@["none"] = sum(0);
	printa("%s %@d\n", @);
	exit(0);
}
