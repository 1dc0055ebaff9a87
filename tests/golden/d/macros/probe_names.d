#pragma D option quiet

BEGIN
{
	exit(0);
}

$1
{
	printf("%s\n", probename);
}
