#pragma D option quiet
#pragma D option nspec=2

BEGIN
{
	one = speculation();
	two = speculation();
	printf("%d %d %d\n", one, two, speculation());
}

BEGIN
{
	speculate(one);
	printf("of one\n");
}

BEGIN
{
	speculate(two);
	printf("of two\n");
}

BEGIN
{
	discard(one);
	printf("one is free: %d\n", speculation());
}

/* What is not active is nothing to them. */
BEGIN
{
	commit(0);
}

BEGIN
{
	discard(0);
	exit(0);
}

END
{
	commit(two);
}

END
{
	printf("the end\n");
}
