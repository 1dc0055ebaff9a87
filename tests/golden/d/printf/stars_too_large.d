#pragma D option quiet

BEGIN
{
	printf("[%.*s] [%-.*S]\n", 2000000000, "hello", 2000000000, "a\n");
	printf("[%.2000000000s]\n", "there");
	exit(0);
}
