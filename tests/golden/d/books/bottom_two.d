#pragma D option quiet


BEGIN
{
	@["a"] = sum(10);
	@["b"] = sum(50);
	@["c"] = sum(30);
	trunc(@, -2);
	printa("%s %@d\n", @);
	trunc(@);
	exit(0);
}
