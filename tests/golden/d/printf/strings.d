#pragma D option quiet

BEGIN
{
	printf("%s\n", "hello");
	printf("[%10s] [%-10s] [%.3s] [%10.3s]\n", "hello", "hello", "hello",
	    "hello");
	printf("[%s]\n", "");
	printf("100%%\n");
	exit(0);
}
