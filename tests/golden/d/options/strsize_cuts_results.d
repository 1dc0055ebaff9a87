#pragma D option quiet

BEGIN
{
	x = "abcdefghij";
	printf("%s|%d|%s|%s\n", x, strlen(x), strjoin("abcd", "efgh"),
	    lltostr(123456789));
	@[x] = count();
	exit(0);
}
