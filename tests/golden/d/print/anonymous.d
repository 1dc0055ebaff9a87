#pragma D option quiet

/* Types without a name, and unsigned characters, which are numbers. */
struct packet {
	uint8_t version;
	char flag;
	union {
		uint16_t port;
		char text[4];
	} at;
	struct {
		enum { DOWN, UP } state;
		long long count;
	} link;
};

BEGIN
{
	this->p = (struct packet *)alloca(sizeof (struct packet));
	this->p->version = 65;
	this->p->flag = 'f';
	this->p->at.port = 0x4241;
	this->p->link.state = UP;
	this->p->link.count = 3;
	print(this->p);
	setopt("printsize", "2");
	print(this->p);
	setopt("printsize", "x");
	setopt("stackindent", "7");
	setopt("stackindent", "many");
	exit(0);
}
