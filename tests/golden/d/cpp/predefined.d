#pragma D option quiet

#if defined(__linux) && defined(__unix) && __SUNW_D == 1
BEGIN
{
	printf("defined\n");
	exit(0);
}
#endif
