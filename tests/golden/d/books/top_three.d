#pragma D option quiet


BEGIN
{
	@["a"] = sum(10);
	@["b"] = sum(50);
	@["c"] = sum(30);
	@["d"] = sum(40);
	@["e"] = sum(20);
	trunc(@, 3);
	exit(0);
}
