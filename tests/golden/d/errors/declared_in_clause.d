BEGIN
{
	int x;
	x = 5;
}
