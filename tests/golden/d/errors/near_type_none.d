/* An error far behind a word that is no type is about something else. */
BEGIN
{
	trace(sizeof(psinf_t));
	trace(2 + );
}
