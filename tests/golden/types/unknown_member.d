typed:::request-start
{
	trace(((struct request *)arg0)->opp);
}
