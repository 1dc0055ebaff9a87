BEGIN
{
	printf("a");
	trace(1);
	printf("b");
	exit(0);
}
