#pragma D option quiet

BEGIN
{
	printf("%S\n", "a\tb\n\"quoted\" \\ \a\b\f\r\v\001");
	printf("%C %C %C\n", 'a', '\n', '"');
	exit(0);
}
