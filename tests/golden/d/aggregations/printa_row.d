/* Without quiet a row stands before, and an end of line behind. */
BEGIN
{
	@ = count();
	@b["k"] = count();
	printa(@);
	exit(0);
}
