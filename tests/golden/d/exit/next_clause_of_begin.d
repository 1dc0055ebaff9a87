#pragma D option quiet

BEGIN
{
	n = 1;
	exit(0);
	n = 2;
}

BEGIN
{
	n = 3;
}

END
{
	printf("%d\n", n);
}
