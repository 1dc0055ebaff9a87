#pragma D option quiet

BEGIN
{
	printf("%s %s %s %s\n", lltostr(-1, 16), lltostr(8, 8), lltostr(5, 2),
	    lltostr(35, 36));
	exit(0);
}
