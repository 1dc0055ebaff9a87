#pragma D option quiet

BEGIN
{
	freopen("f");
	printf("one\n");
	freopen("");
	freopen("f");
	printf("two\n");
	freopen("");
	system("cat f; rm f");
	exit(0);
}
