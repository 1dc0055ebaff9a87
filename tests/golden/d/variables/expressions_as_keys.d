#pragma D option quiet

BEGIN
{
	i = 3;
	a[i + 1, strjoin("a", "b")] = 7;
	printf("%d\n", a[4, "ab"]);
	exit(0);
}
