provider net2
{
	probe packet(int);
};
