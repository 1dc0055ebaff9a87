#pragma D option quiet
#pragma D option destructive

/* What is in no record may stand in front of speculate() and commit(). */
BEGIN
{
	chill(1);
	this->id = speculation();
	speculate(this->id);
	printf("kept %d\n", this->id);
}

BEGIN
{
	chill(1);
	commit(1);
	chill(1);
}

BEGIN
{
	exit(0);
}
