BEGIN
{
	x = 1;
}

BEGIN
{
	trace(x);
	exit(0);
}
