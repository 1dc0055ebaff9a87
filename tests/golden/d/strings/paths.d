#pragma D option quiet

BEGIN
{
	printf("%s %s\n", basename("/usr/lib/libc.so"),
	    dirname("/usr/lib/libc.so"));
	printf("%s %s\n", basename("/"), dirname("file"));
	printf("%s %s\n", cleanpath("/usr/../lib//x/./y"), cleanpath("a/.."));
	exit(0);
}
