#pragma D option quiet

BEGIN
{
	printf("[%s]", cleanpath("/a/b/../c/"));
	printf("[%s]", cleanpath("a//b"));
	printf("[%s]", cleanpath("/.."));
	printf("[%s]\n", cleanpath(""));
	exit(0);
}
