/* Ten texts of clauses, of 1 KB each; they begin as nothing at each fire. */
#pragma D option strsize=1024

this string f;

tt:::count
/arg0 == 1/
{
	this->a = "a";
	this->b = strjoin(this->a, "b");
	this->c = strjoin(this->b, "c");
	this->d = strjoin(this->c, "d");
	this->e = strjoin(this->d, "e");
}

tt:::count
{
	printf("%d %d %d\n", this->a == NULL, this->e == NULL, this->f == NULL);
	this->f = "f";
	this->g = strjoin(this->f, "g");
	this->h = strjoin(this->g, "h");
	this->i = strjoin(this->h, "i");
	this->j = strjoin(this->i, "j");
	printf("%s\n", this->j);
}

tt:::count
/this->e != NULL/
{
	printf("%s\n", this->e);
}
