#pragma D option quiet


BEGIN
{
	@n["x"] = count(); @n["x"] = count(); @n["y"] = count();
	@t["x"] = avg(10); @t["x"] = avg(20); @t["y"] = avg(5);
	@m["x"] = max(10); @m["x"] = max(20); @m["y"] = max(5);
	printf("%-4s %5s %5s %5s\n", "KEY", "COUNT", "AVG", "MAX");
	printa("%-4s %@5d %@5d %@5d\n", @n, @t, @m);
	exit(0);
}
