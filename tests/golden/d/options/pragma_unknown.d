#pragma D option nonsense

BEGIN
{
	exit(0);
}
