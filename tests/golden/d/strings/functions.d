#pragma D option quiet

BEGIN
{
	printf("%d %d\n", strlen("hello"), strlen(""));
	printf("%s\n", strjoin("foo", "bar"));
	printf("%s %s\n", strchr("hello", 'l'), strrchr("hello", 'l'));
	printf("%s\n", strstr("hello world", "o w"));
	printf("%d\n", strchr("hello", 'z') == NULL);
	printf("%s %s\n", substr("hello", 1, 3), substr("hello", 2));
	printf("[%s] %s\n", substr("hello", 9), substr("hello", -3, 2));
	exit(0);
}
