/* A probe that the command has when it is another program. */
tt:::count
{
	@["count"] = count();
}

tt:::never
{
	@["never"] = count();
}

END
{
	printa("%s %@d\n", @);
}
