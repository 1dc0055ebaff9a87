/* Fewer steps than the factor, and more: some integers have none between. */
#pragma D option quiet

BEGIN
{
	@few = llquantize(1, 10, 0, 1, 5); @few = llquantize(2, 10, 0, 1, 5);
	@few = llquantize(3, 10, 0, 1, 5); @few = llquantize(99, 10, 0, 1, 5);
	@many = llquantize(2, 10, 0, 1, 20);
	@many = llquantize(17, 10, 0, 1, 20);
	@three = llquantize(27, 3, 3, 5, 27);
	@three = llquantize(-40, 3, 3, 5, 27);
	exit(0);
}
