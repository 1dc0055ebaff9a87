BEGIN
{
	trace("hello");
	trace("");
	trace(probename);
	exit(0);
}
