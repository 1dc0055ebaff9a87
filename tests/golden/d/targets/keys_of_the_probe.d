/* From the second fire on what is the same for each is a key at once. */
tt:::count
{
	@[probefunc] = count();
}
