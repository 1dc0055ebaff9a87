#pragma D option quiet

BEGIN
{
	@ = lquantize(-1, 0, 10, 5);
	@ = lquantize(0, 0, 10, 5);
	@ = lquantize(4, 0, 10, 5);
	@ = lquantize(5, 0, 10, 5);
	@ = lquantize(10, 0, 10, 5);
	@ = lquantize(11, 0, 10, 5, 3);
	printa(@);
	exit(0);
}
