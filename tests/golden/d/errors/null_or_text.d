/* NULL is an int, which makes an array of the text. */
BEGIN
{
	x = 0;
	w = x == 0 ? NULL : "s";
}
