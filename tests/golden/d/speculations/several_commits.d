#pragma D option quiet
#pragma D option nspec=4

BEGIN
{
	first = speculation();
	second = speculation();
	third = speculation();
	fourth = speculation();
}

BEGIN
{
	speculate(first);
	printf("the first, of %d\n", first);
}

BEGIN
{
	speculate(second);
	printf("the second, of %d\n", second);
}

BEGIN
{
	speculate(third);
	printf("the third, of %d\n", third);
}

/* They come in the order of the commits; what is gone comes no more. */
BEGIN
{
	commit(third);
	discard(second);
	commit(fourth);
	commit(second);
	commit(first);
	commit(third);
}

BEGIN
{
	exit(0);
}
