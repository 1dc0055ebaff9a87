typed:::request-start
{
	copyoutstr("x", arg0, 2);
}
