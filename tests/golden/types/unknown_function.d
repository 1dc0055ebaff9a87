typed:::request-start
{
	trace(strlne(execname));
}
