BEGIN
{
	printf("one ");
	printf("two %d", 3);
}

BEGIN
{
	printf("a line\n");
	exit(0);
}
