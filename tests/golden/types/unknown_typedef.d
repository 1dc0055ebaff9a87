typed:::request-start
{
	trace(((nosuch_t *)arg0)->op);
}
