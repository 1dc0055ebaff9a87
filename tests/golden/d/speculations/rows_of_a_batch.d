BEGIN
{
	a = speculation();
}

BEGIN
{
	speculate(a);
	trace(5);
	printf("x%d", 3);
}

BEGIN
{
	commit(a);
}

BEGIN
{
	exit(0);
}
