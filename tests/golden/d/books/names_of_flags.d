#pragma D option quiet


string mode[int];

BEGIN
{
	mode[0] = "ro"; mode[O_WRONLY] = "wo"; mode[O_RDWR] = "rw";
	this->flags = O_RDWR | O_CREAT;
	printf("%s%s\n", mode[this->flags & 3],
	    this->flags & O_CREAT ? " create" : "");
	this->flags = 0;
	printf("%s%s\n", mode[this->flags & 3],
	    this->flags & O_CREAT ? " create" : "");
	exit(0);
}
