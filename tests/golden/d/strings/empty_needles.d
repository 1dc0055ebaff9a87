#pragma D option quiet

BEGIN
{
	printf("[%s] [%s]\n", strstr("abc", ""), strchr("abc", 0));
	exit(0);
}
