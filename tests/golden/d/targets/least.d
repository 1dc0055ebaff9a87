/* No value is beyond the first. */
tt:::count
/arg0 > 2/
{
	@ = min(arg0);
}

END
{
	printa("%@d\n", @);
}
