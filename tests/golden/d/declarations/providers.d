/* Declared, checked, and forgotten: programs tell what probes they have. */
#pragma D option quiet

provider disk
{
	probe io__start(int unit, char *name) : (char *name, int unit);
	probe io__done();
	probe idle(void);
};

#pragma D attributes Stable/Stable/Common provider disk provider

BEGIN
{
	printf("providers are no variables: ");
	disk = 3;
	printf("%d\n", disk);
	exit(0);
}
