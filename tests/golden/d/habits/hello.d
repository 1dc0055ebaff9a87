/*
 * The first program of every book.
 */
BEGIN
{
	trace("hello, world");
	exit(0);
}
