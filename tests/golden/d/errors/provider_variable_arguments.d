provider disk
{
	probe io(int, ...);
};
