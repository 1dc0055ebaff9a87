#pragma D option quiet

BEGIN
{
	this->p = (char *)alloca(8);
	this->p[0] = 'h';
	this->p[1] = 'i';
	printf("%s\n", stringof(this->p));
	printf("%d\n", stringof(this->p) == "hi");
	exit(0);
}
