#pragma D option quiet

ERROR
{
	printf("fault %d at %x\n", arg4, arg5);
}

BEGIN
{
	printf("%s\n", copyinstr(16));
}

BEGIN
{
	printf("still here\n");
	exit(0);
}
