#pragma D option quiet

BEGIN
{
	printf("%d %d\n", epid, id);
}

BEGIN
{
	if (id == 1)
		printf("%d\n", epid);
	printf("%d\n", epid);
	exit(0);
}

END
{
	printf("%d %d\n", epid, id);
}
