#pragma D option quiet

BEGIN
{
	printf("%d %d %d\n", "a" < "B", "" < "a", "abc" > "abb");
	printf("%d %d\n", "\x80" > "a", "a" == "a ");
	exit(0);
}
