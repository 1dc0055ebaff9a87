#pragma D option quiet

BEGIN
{
	system("exit 3");
	exit(0);
}
