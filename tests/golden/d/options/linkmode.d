#pragma D option quiet
#pragma D option linkmode=static
#pragma D option linktype=dof

/* They are about -G; here they must be right, and do nothing. */
BEGIN
{
	printf("linked\n");
	exit(0);
}
