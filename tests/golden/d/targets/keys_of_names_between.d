/* Here the text is not the last, or too long to be kept: the same comes out. */
tt:::count
{
	@[probename, arg0 % 2] = count();
}
