provider disk
{
	probe io`start(int);
};
