/* Twice in a clause: nothing is kept of it. */
tt:::count
/arg0 > 2/
{
	@least = min(arg0);
	@greatest = max(arg0);
}

END
{
	printa("%@d %@d\n", @least, @greatest);
}
