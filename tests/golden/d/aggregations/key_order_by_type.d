#pragma D option quiet

BEGIN
{
	@["b", 2] = count();
	@["a", 10] = count();
	@["a", -3] = count();
	@["B", 1] = count();
	exit(0);
}
