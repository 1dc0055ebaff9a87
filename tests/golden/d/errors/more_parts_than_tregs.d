/* A key has one part more than tregs says at most: as it is not set, nine. */
BEGIN
{
	self->a[1, 2, 3, 4, 5, 6, 7, 8, 9] = 1;
	@[1, 2, 3, 4, 5, 6, 7, 8, 9, 10] = count();
}
