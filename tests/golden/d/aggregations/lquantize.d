/* Below the base, above the limit, and the last step, which is cut. */
#pragma D option quiet

BEGIN
{
	@ = lquantize(-1, 0, 25, 10); @ = lquantize(0, 0, 25, 10);
	@ = lquantize(9, 0, 25, 10); @ = lquantize(19, 0, 25, 10);
	@ = lquantize(24, 0, 25, 10); @ = lquantize(1000, 0, 25, 10);
	@one = lquantize(3, 0, 5);
	@below = lquantize(-15, -20, -5, 5, 7);
	exit(0);
}
