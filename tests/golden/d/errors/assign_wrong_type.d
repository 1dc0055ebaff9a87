int x;

BEGIN
{
	x = "a";
}
