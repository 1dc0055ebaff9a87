#pragma D option quiet

BEGIN
{
	exit(3);
}

END
{
	printf("end\n");
	exit(4);
}
