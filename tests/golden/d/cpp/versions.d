/* What cpp is told of the compiler, as dtrace tells it. */
#pragma D option quiet

#if __SUNW_D_VERSION != 0x02000000
#error the version
#endif

#if defined(__SUNW_D_64) && defined(_LP64) && !defined(__SUNW_D_32) && \
    defined(__SVR4) && !defined(__GNUC__)
BEGIN
{
	printf("%x %d\n", __SUNW_D_VERSION, __SUNW_D);
	exit(0);
}
#endif
