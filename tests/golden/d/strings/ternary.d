#pragma D option quiet

BEGIN
{
	n = 1;
	printf("%d probe%s, %d drop%s\n", n, n == 1 ? "" : "s", 2,
	    2 == 1 ? "" : "s");
	s = n > 0 ? "positive" : n < 0 ? "negative" : "zero";
	printf("%s\n", s);
	exit(0);
}
