BEGIN
{
	system("echo output");
	exit(0);
}
