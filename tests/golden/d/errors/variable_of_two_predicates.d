/* Neither of the two can be the first. */
BEGIN
/x++ && y == 0/
{
	trace(x + y++);
}
