/* With a short strsize keys are cut, whoever makes them. */
tt:::count
{
	@[probename] = count();
}
