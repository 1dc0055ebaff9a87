#pragma D option quiet

BEGIN
{
	@a["x"] = count();
	@a["x"] = count();
	printa(@a);
	exit(0);
}
