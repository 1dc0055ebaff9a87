BEGIN
{
	x = 4;
	x[1] = 2;
}
