BEGIN
{
	trace("never closed);
}
