BEGIN
{
	@a[1, "x"] = count();
	@a["x", 1] = count();
}
