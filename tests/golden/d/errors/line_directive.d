#line 100 "other.d"
BEGIN
{
	trace(x);
}
