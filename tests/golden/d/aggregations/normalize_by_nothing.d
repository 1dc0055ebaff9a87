#pragma D option quiet

int none;

/* What DTrace cannot divide by ends the run, behind what was printed. */
BEGIN
{
	@a = sum(12);
	normalize(@a, 3);
	printa("%@d\n", @a);
	normalize(@a, none);
	printf("not this\n");
	exit(0);
}
