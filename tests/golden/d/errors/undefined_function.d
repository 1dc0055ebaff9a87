BEGIN
{
	nothing(1);
}
