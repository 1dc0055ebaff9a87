#pragma D option quiet

BEGIN
{
	@a["x"] = sum(1);
	@a["y"] = sum(2);
	@b["y"] = sum(5);
	printa("%s %@d %@d\n", @a, @b);
	exit(0);
}
