BEGIN
{
	copyoutstr("x", 16, 2);
	exit(0);
}
