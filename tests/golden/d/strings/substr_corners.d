#pragma D option quiet

BEGIN
{
	printf("[%s][%s][%s][%s][%s][%s]\n", substr("abcdef", 2),
	    substr("abcdef", -2), substr("abcdef", 1, 3),
	    substr("abcdef", 1, -2), substr("abcdef", -4, -1),
	    substr("abcdef", 9));
	exit(0);
}
