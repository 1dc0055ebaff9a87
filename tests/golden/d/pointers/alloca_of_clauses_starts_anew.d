#pragma D option quiet

BEGIN
{
	this->a = alloca(8);
	p = (uintptr_t)this->a;
}

BEGIN
{
	this->a = alloca(8);
	printf("%d\n", p == (uintptr_t)this->a);
	exit(0);
}
