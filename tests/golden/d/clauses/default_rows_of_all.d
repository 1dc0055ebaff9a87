BEGIN,
END,
ERROR
{
	trace(probename);
}

BEGIN
{
	trace(*(int *)0);
}

BEGIN
{
	exit(0);
}
