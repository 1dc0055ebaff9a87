#pragma D option quiet

BEGIN
{
	printf("before\n");
	system("echo in %s %d", "shell", 5);
	printf("after\n");
	exit(0);
}
