/*
 * What the second fire and the later ones do with an element is what the first
 * one did: each clause is its probe's only one, and all that it does is known.
 */
BEGIN
{
	was[7, -1] = 100;
}

tt:::count
/arg0 != 3 && was[7, -1]/
{
	@sum = sum(was[7, -1]);
	was[7, -1] = arg0;
}

END
{
	printa("%@d", @sum);
	printf(" %d %d\n", was[7, -1], was[7, 0]);
}
