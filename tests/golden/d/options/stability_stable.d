dtrace:::BEGIN
{
	trace("traced\n");
	exit(0);
}
