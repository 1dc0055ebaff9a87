/* Elements that a probe's only clause frees, once each. */
BEGIN
{
	left[2] = 1;
	left[4] = 1;
	left[5] = 1;
	left[90] = 1;
}

tt:::count
/left[arg0]/
{
	@[arg0] = count();
	left[arg0] = 0;
}

END
{
	printa("%d %@d\n", @);
	printf("%d %d %d\n", left[2], left[5], left[90]);
}
