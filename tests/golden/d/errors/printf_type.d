BEGIN
{
	printf("%d\n", "x");
}
