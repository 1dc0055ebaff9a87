#pragma D option quiet

BEGIN
{
	exit(0);
}

END
{
	printf("a\n");
}

END
{
	printf("b\n");
}
