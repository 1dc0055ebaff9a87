provider disk
{
	probe io__start(int unit);
	probe io__done(int unit);
	probe io__start(long);
};
