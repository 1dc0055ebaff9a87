/* What copyin() gives is alloca()'s, too: it can be copied to. */
#pragma D option quiet

BEGIN
{
	this->name = (char *)copyin(*(uintptr_t *)copyin((uintptr_t)
	    curpsinfo->pr_envp, 8), 4);
	bcopy("ab", this->name, 3);
	printf("%s\n", stringof(this->name));
	exit(0);
}
