BEGIN
{
	printf("gone\n");
	ftruncate();
	printf("kept\n");
	system("cat f");
	exit(0);
}
