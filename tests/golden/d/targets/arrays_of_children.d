/* A child begins with what BEGIN has left; END has what any of them has. */
BEGIN
{
	first["x"] = 4;
}

tt:::count
{
	@begins[first["x"]] = count();
	seen[arg0] = 1;
}

tt:::count
/arg0 == 2/
{
	last["child"] = execname;
}

END
{
	printa("%d %@d\n", @begins);
	printf("%d %d %d %d %s\n", seen[0], seen[1], seen[2], seen[3],
	    last["child"]);
}
