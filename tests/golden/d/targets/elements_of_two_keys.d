/* What is loaded is not what is stored. */
BEGIN
{
	was[7] = 100;
}

tt:::count
/was[7]/
{
	@sum = sum(was[7]);
	was[8] = arg0;
}

END
{
	printa("%@d", @sum);
	printf(" %d %d\n", was[7], was[8]);
}
