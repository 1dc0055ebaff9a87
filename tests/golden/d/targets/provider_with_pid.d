/* DTrace's providers have a pid behind their names. */
tt$target:::count
{
	printf("%s %d\n", probeprov, arg0);
}

t*$target:::coun*
/arg0 == 2/
{
	printf("%d\n", pid == $target);
}

/* Whose pid this is nobody has asked for. */
tt1:::count
{
	printf("not here\n");
}
