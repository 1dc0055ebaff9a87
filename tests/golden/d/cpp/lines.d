#define X

BEGIN
{
	trace(y);
}
