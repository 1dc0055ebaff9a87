typed:::request-start
{
	trace(((struct reqest *)arg0)->op);
}
