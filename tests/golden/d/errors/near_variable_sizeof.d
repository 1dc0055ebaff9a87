BEGIN
{
	trace(sizeof(timestam));
	exit(0);
}
