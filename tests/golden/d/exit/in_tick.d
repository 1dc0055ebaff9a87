#pragma D option quiet

tick-1ms
{
	exit(3);
}

END
{
	printf("end\n");
}
