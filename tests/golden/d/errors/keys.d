int a[string, int];

BEGIN
{
	a["x"] = 1;
}
