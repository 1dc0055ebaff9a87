/* The pid that DTrace has behind a provider's name may be meant by a class. */
tt[0-9]*:::count
{
	printf("%s %d\n", probeprov, arg0);
}

t*[1-9][0-9]*:::coun*,
tt[0-9]:::no-such-probe
/arg0 == 2/
{
	printf("two\n");
}

/* No pid has letters in it. */
tt[0-9a-f]*:::count,
t[0-9]*:::count
{
	printf("not here\n");
}
