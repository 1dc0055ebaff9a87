typed:::request-start
{
	trace(((struct nosuch`request *)arg0)->op);
}
