#pragma D option quiet

BEGIN
{
	printf("%s|%s|%s\n", basename("/a/b/c.d"), dirname("/a/b/c.d"),
	    cleanpath("/a/./b//../c"));
	printf("%s|%s|%s\n", basename("/"), dirname("c"), basename(""));
	exit(0);
}
