#pragma D option quiet

BEGIN
{
	printf("%s %s %s\n", strchr("a.b.c", '.'), strrchr("a.b.c", '.'),
	    strstr("haystack", "st"));
	printf("%d %d %d\n", index("hello", "l"), rindex("hello", "l"),
	    index("hello", "z"));
	printf("%d\n", strstr("haystack", "needle") == NULL);
	exit(0);
}
