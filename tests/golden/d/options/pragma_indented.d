
    #!/usr/sbin/dtrace -s

/* A line may begin with blanks before its #, wherever it is. */

    #pragma D option quiet

	#pragma D option strsize=4

BEGIN
    #pragma D option nspec=2
{
	printf("%s", "abcdefgh");

	#pragma D option stackindent=2
	printf("\n");
}

    #line 100 "here.d"

BEGIN
{
	exit(0);
}
