/* What system calls are handed is declared, and may be otherwise. */
#pragma D option quiet

typedef int u8;
struct linger {
	u8 mine;
	u8 too;
	u8 three;
};
u16 n;

BEGIN
{
	this->s = (struct sockaddr_in *)alloca(sizeof(struct sockaddr_in));
	this->s->sin_family = AF_INET;
	this->s->sin_port = htons(80);
	this->b = (uint8_t *)&this->s->sin_addr;
	this->b[0] = 127;
	this->b[3] = 1;
	printf("%s:%d\n", inet_ntoa(&this->s->sin_addr.s_addr),
	    ntohs(this->s->sin_port));
	this->t = (struct timespec *)alloca(sizeof(struct timespec));
	this->t->tv_nsec = 999;
	printf("%d %d %d\n", this->t->tv_nsec, sizeof(struct linger),
	    sizeof(u8));
	n = 65537;
	printf("%d\n", n);
	printf("%d %d %d %d %d\n", sizeof(struct sockaddr_in),
	    sizeof(struct sockaddr_in6), sizeof(struct sockaddr_un),
	    sizeof(struct iovec), sizeof(struct user_msghdr));
}

/* As variables, and behind a parenthesis, they are names. */
BEGIN
{
	s32 = 3;
	printf("%d %d\n", (s32), (s32 + 1) * s32);
	printf("%d\n", (u32)(1 << 31) == 0x80000000);
	exit(0);
}
