nobody:has:this:probe
{
	exit(0);
}
