#pragma D option quiet

/* Magnitudes on both sides of 0. */
BEGIN
{
	@ = llquantize(-250, 10, 1, 2, 10);
	@ = llquantize(-30, 10, 1, 2, 10);
	@ = llquantize(3, 10, 1, 2, 10);
	@ = llquantize(45, 10, 1, 2, 10, 2);
	@ = llquantize(123456, 10, 1, 2, 10);
	exit(0);
}
