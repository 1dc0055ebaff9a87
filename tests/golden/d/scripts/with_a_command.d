#pragma D option quiet

BEGIN
{
	printf("begin %d\n", $target != pid);
}

END
{
	printf("end\n");
}
