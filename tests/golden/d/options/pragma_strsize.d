#pragma D option quiet
#pragma D option strsize=300

/* From here on strings are that large, also where their size is written. */
struct named {
	int number;
	string name;
};

BEGIN
{
	this->ten = "0123456789";
	this->hundred = strjoin(strjoin(strjoin(this->ten, this->ten),
	    strjoin(this->ten, this->ten)), strjoin(this->ten, this->ten));
	this->long = strjoin(this->hundred, strjoin(this->hundred,
	    strjoin(this->hundred, strjoin(this->hundred, this->hundred))));
	printf("%d %d %d\n%s\n", sizeof (string), sizeof (struct named),
	    strlen(this->long), this->long);
	exit(0);
}
