#pragma D option specsize=8

BEGIN
{
	speculate(speculation());
	trace(1);
}
