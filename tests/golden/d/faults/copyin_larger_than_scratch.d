#pragma D option quiet
#pragma D option scratchsize=64

int size;

BEGIN
{
	size = 65;
	copyin((uintptr_t)curpsinfo->pr_argv, size);
}

BEGIN
{
	size = -1;
	copyin((uintptr_t)curpsinfo->pr_argv, size);
}

BEGIN
{
	size = 60;
	this->p = alloca(8);
	copyin((uintptr_t)curpsinfo->pr_argv, size);
}

BEGIN
{
	exit(0);
}

ERROR
{
	printf("%d\n", arg4);
}
