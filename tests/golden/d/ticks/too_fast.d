tick-100us
{
	exit(0);
}
