BEGIN
{
	trace(sizeof(uint46_t));
	exit(0);
}
