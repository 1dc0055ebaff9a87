#pragma D option quiet

BEGIN
{
	*(char *)NULL;
}

dtrace:::ERROR
{
	printf("error at action %d, fault %d, address %x\n", arg2, arg4, arg5);
	exit(1);
}

#pragma D option noerror
