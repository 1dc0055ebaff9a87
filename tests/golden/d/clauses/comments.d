#pragma D option quiet

/* one */
BEGIN /* two */
/* three */
{
	/* four */ printf("%d\n", /* five */ 1);
	exit(0);
}
