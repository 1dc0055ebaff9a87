#pragma D option aggpercpu

BEGIN
{
	exit(0);
}
