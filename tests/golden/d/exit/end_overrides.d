#pragma D option quiet

BEGIN
{
	exit(7);
}

END
{
	exit(9);
}
