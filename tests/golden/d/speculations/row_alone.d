BEGIN
{
	self->id = speculation();
}

BEGIN
{
	speculate(self->id);
}

BEGIN
{
	commit(self->id);
}

BEGIN
{
	exit(0);
}
