#pragma D option quiet

/* Counts are divided, labels and bars are not. */
BEGIN
{
	@q = quantize(4, 100);
	@q = quantize(8, 300);
	@l = lquantize(15, 0, 30, 10, 50);
	normalize(@q, 10);
	normalize(@l, 25);
	printa(@q);
	printa(@l);
	denormalize(@q);
	printa(@q);
	exit(0);
}
