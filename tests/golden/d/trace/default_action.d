BEGIN
{
}

END
{
}

tick-5ms
{
	exit(0);
}
