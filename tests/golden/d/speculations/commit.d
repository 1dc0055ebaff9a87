/* What is committed comes where commit() stands, in its order. */
BEGIN
{
	self->id = speculation();
	printf("id %d", self->id);
}

BEGIN
{
	speculate(self->id);
	trace("first");
}

BEGIN
{
	speculate(self->id);
	printf("second of %d", self->id);
}

BEGIN
{
	trace("before");
}

BEGIN
{
	commit(self->id);
}

BEGIN
{
	speculate(self->id);
	trace("too late");
}

BEGIN
{
	again = speculation();
	printf("again %d", again);
	exit(0);
}
