#pragma D option quiet

BEGIN
{
	printf("one\n");
	freopen("file.%d", 1);
	printf("two\n");
	freopen("");
	printf("three\n");
	system("cat file.1");
	exit(0);
}
