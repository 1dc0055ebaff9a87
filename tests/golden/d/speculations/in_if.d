#pragma D option quiet

/* speculate() is for the part of a clause where it stands. */
BEGIN
{
	spec = speculation();
}

BEGIN
{
	if (spec != 0) {
		speculate(spec);
		printf("speculated\n");
	}
	printf("at once\n");
}

BEGIN
{
	commit(spec);
}

BEGIN
{
	exit(0);
}
