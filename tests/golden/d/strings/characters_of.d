#pragma D option quiet

BEGIN
{
	s = "hello";
	printf("%c%c %d %d\n", s[0], s[4], s[1] == 'e', sizeof (s[0]));
	printf("%d %d\n", s[5], "abc"[1]);
	exit(0);
}
