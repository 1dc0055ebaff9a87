#pragma D option quiet
/*
 * A script as people write them, with // and "quotes" in its comment.
 */

dtrace:::BEGIN	/* at the beginning */
/ 1 /
{
	/* nothing */ ;
	printf("%d %s\n",	/* two */
	    1,
	    "x"); ; ;
	exit (0) ;
}
