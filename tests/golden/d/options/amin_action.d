dtrace:::BEGIN
{
	trace(2 +
	    ntohs(3));
	exit(0);
}
