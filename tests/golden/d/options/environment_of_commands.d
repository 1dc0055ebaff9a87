#pragma D option quiet

BEGIN
{
	system("echo $GREETING");
	exit(0);
}
