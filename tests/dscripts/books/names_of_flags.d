#pragma D option quiet


inline int O_WRONLY = 1;
inline int O_RDWR = 2;
inline int O_CREAT = 0100;

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
