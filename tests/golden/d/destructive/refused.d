BEGIN
{
	system("echo no");
	exit(0);
}
