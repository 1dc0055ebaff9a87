#pragma D option quiet

BEGIN
{
	@a = count();
	clear(@a);
	@b["x"] = count();
	trunc(@b);
	printa("none %@d\n", @b);
	printa("zero %@d\n", @a);
	exit(0);
}
