BEGIN
{
	if (0)
		trace(1);
}

BEGIN
{
	exit(0);
}
