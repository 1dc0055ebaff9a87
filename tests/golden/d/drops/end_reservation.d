END
{
	trace("a string takes strsize");
}

BEGIN
{
	exit(0);
}
