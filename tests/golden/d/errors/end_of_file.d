/* never closed
BEGIN
{
	exit(0);
}
