BEGIN
{
	copyout(alloca(8), 0, 8);
	speculate(1);
	trace(1);
	copyout(alloca(8), 0, 8);
}
