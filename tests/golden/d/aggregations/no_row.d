BEGIN
{
	@a = count();
}

tick-1ms
{
	exit(0);
}
