#pragma D option quiet

BEGIN
{
	@[1] = count();
	@[2] = count();
	@[2] = count();
	trunc(@, 1);
	printa("%d %@d\n", @);
}

BEGIN
{
	trunc(@);
	printa("left %d %@d\n", @);
	exit(0);
}

END
{
	printf("the end");
}
