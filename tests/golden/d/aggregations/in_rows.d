BEGIN
{
	@a = count();
	printa("%@d", @a);
	exit(0);
}
