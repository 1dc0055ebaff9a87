#pragma D option quiet

BEGIN
{
	@["a"] = sum(1);
	@["b"] = sum(2);
	@["c"] = sum(3);
	trunc(@, -2);
	exit(0);
}
