#pragma D option quiet

/* What strtok() goes on with is what it was given last. */
BEGIN
{
	this->first = strtok("usr/local//bin", "/");
	this->second = strtok(NULL, "/");
	this->third = strtok(NULL, "/");
	this->none = strtok(NULL, "/");
	printf("%s|%s|%s|%s\n", this->first, this->second, this->third,
	    this->none == NULL ? "none" : this->none);
}

BEGIN
{
	printf("%s|%s\n", strtok("a,b;c", ",;"), strtok(NULL, ";"));
	printf("%s\n", strjoin(strtok(",,x,,", ","), "!"));
	exit(0);
}
