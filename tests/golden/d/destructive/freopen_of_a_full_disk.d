BEGIN
{
	freopen("/dev/full");
	printf("lost\n");
	freopen("");
	exit(0);
}
