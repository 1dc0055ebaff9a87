#pragma D option quiet

BEGIN
{
	printf("%s\n", strjoin(strjoin("a", "b"), strjoin("c", "d")));
	printf("%d\n", strlen(substr(strjoin("hello", " world"), 3)));
	printf("%s\n", basename(dirname("/a/b/c")));
	exit(0);
}
