BEGIN
{
	trace(x);
	exit(0);
}
