#pragma D option quiet

#pragma D option defaultargs

BEGIN
{
	this->limit = $1 ? $1 : 10;
	printf("%d [%s] %d\n", this->limit, $$2, $$2 == "");
	exit(0);
}
