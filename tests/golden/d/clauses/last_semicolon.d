#pragma D option quiet

BEGIN
{
	printf("a\n");
	exit(0)
}
