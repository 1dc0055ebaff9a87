BEGIN
{
	printf("%Q\n", 1);
}
