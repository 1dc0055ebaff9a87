#pragma D option quiet
#pragma D option strsize=12

/* The size counts the NUL, as strsize does. */
BEGIN
{
	this->argv = (uintptr_t *)copyin(curpsinfo->pr_argv, 40);
	this->name = this->argv[4];
	printf("%s\n", copyinstr(this->name));
	printf("%s\n", copyinstr(this->name, 96));
	printf("%s\n", copyinstr(this->name, -1));
	printf("%s\n", copyinstr(this->name, 12));
	printf("%s\n", copyinstr(this->name, 7));
	printf("[%s]\n", copyinstr(this->name, 1));
	printf("%d\n", strlen(copyinstr(this->name)));
}

BEGIN
{
	this->argv = (uintptr_t *)copyin(curpsinfo->pr_argv, 40);
	self->at = this->argv[4];
	copyinstr(this->argv[4], 0);
	printf("not reached\n");
}

BEGIN
{
	exit(0);
}

ERROR
{
	printf("%d %d\n", arg4 == DTRACEFLT_BADADDR, arg5 == self->at);
}
