#pragma D option quiet

int none;

BEGIN
{
	commit(2);
}

BEGIN
{
	discard(-1);
}

BEGIN
{
	speculate(7);
	printf("no, and no fault\n");
}

BEGIN
{
	this->id = speculation();
}

BEGIN
{
	speculate(this->id);
	printf("not with what follows a fault\n");
	trace(1 / none);
}

BEGIN
{
	commit(this->id);
}

BEGIN
{
	exit(0);
}

