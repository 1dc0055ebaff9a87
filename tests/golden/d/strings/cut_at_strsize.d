#pragma D option quiet

BEGIN
{
	s = "abcdefghij";
	printf("[%s] %d\n", s, strlen(s));
	printf("[%s]\n", strjoin("abcd", "efgh"));
	exit(0);
}
