/* ERROR's own record would have its five arguments. */
BEGIN
{
	trace(1);
	exit(0);
}

ERROR
{
	exit(2);
}
