typed:::request-start
{
	trace(((reqest_t *)arg0)->op);
}
