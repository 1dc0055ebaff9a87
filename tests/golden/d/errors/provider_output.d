provider disk
{
	probe io(int unit, char *name) : (char *name, int units);
};
