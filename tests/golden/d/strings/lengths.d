#pragma D option quiet

BEGIN
{
	printf("%d %d %d %d\n", strlen(""), strlen("a"), strlen("tab\t"),
	    strlen(strjoin("ab", "cde")));
	exit(0);
}
