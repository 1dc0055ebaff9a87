/* Each value is beyond the ones before it. */
tt:::count
/arg0 > 2/
{
	@[execname] = max(arg0);
}

END
{
	printa("%@d\n", @);
}
