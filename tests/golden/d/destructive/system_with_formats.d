#pragma D option quiet

BEGIN
{
	system("echo %d %s %x", 10, "two words", 255);
	exit(0);
}
