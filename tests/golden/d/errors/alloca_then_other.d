struct pair {
	int first;
	int second[4];
} pairs[2];

BEGIN
{
	mine = (int *)alloca(16);
	mine = NULL;
	mine = &mine[2];
	this->own = &pairs[1].second[3];
	mine = this->own;
}
