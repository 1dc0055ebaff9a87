int a[string];

BEGIN
{
	a[5] = 1;
}
