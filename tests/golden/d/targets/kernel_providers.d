/* Told when the command has ended, and each provider once. */
proc:::exec-success,
proc:::exit,
io:::start
{
	n++;
}
