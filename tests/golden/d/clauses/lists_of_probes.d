#pragma D option quiet

int n;

BEGIN,
END
{
	printf("%s\n", probename);
}

BEGIN
{
	exit(0);
}
