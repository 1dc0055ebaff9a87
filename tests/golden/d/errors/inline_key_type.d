inline int a[int x] = x + 1;

BEGIN
{
	trace(a["x"]);
}
