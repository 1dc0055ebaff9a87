/* More addresses than that are not asked for. */
BEGIN
{
	ustack(9);
}
