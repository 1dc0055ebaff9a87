#pragma D option quiet

BEGIN
{
	printf("[%s]\n", "abcdefg");
	exit(0);
}
