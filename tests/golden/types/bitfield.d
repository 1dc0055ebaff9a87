typed:::request-start
{
	trace(offsetof(request_t, a));
}
