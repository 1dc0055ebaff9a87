/* Those that nobody has printed come at the end, in their order. */
BEGIN
{
	@first[1] = count();
	@second["two"] = max(2);
	@third = min(3);
	printa(@second);
	exit(0);
}
