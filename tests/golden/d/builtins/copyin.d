#pragma D option quiet

BEGIN
{
	this->argv = (uintptr_t *)copyin(curpsinfo->pr_argv, 16);
	printf("%s %s\n", basename(copyinstr(this->argv[0])),
	    copyinstr(this->argv[1]));
	printf("%s\n", copyinstr(this->argv[1], 2));
	exit(0);
}
