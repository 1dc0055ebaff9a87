#pragma D option quiet

BEGIN
{
	x = 1;
	if (x)
		exit(4);
	printf("skipped\n");
}

END
{
	printf("end\n");
}
