#pragma D option quiet
#pragma D option specsize=64

/* Each takes 24 of it; drops of what is discarded are not told. */
BEGIN
{
	spec = speculation();
}

BEGIN, BEGIN, BEGIN, BEGIN
{
	speculate(spec);
	printf("%d\n", ++n);
}

BEGIN
{
	discard(spec);
}

BEGIN
{
	spec = speculation();
}

BEGIN, BEGIN, BEGIN, BEGIN
{
	speculate(spec);
	printf("again %d\n", ++n);
}

BEGIN
{
	commit(spec);
}

BEGIN
{
	printf("%d\n", n);
	exit(0);
}
