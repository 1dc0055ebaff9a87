inline int z = args[0];

BEGIN
{
	trace(z);
}
