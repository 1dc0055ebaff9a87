#pragma D option quiet

BEGIN
{
	printf("%d %d\n", strchr("abc", 0) == NULL, strrchr("", 'a') == NULL);
	printf("[%s] [%s]\n", strstr("abc", ""), strchr("abc", 'c'));
	printf("%d %d %d\n", index("", ""), rindex("", ""), index("", "a"));
	exit(0);
}
