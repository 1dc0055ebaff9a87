BEGIN
{
	x = 1;
	trace(1);
	if (x)
		trace(2);
	trace(3);
	exit(0);
}
