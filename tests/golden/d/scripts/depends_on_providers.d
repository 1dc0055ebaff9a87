/* Providers that are there without a target, whatever probes they have. */
#pragma D option quiet
#pragma D depends_on provider dtrace
#pragma D depends_on provider profile
#pragma D depends_on provider syscall
#pragma D depends_on module vmlinux
#pragma D attributes Evolving/Evolving/Common provider profile name

BEGIN
{
	printf("all there\n");
	exit(0);
}
