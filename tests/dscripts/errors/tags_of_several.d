BEGIN
{
	printf("%d", "x");
}
