/* What headers of C declare, and D has by itself. */
typedef unsigned char uint8_t;
typedef unsigned long size_t;
typedef int pid_t;
typedef struct in6_addr {
	uint8_t bytes[16];
} in6_addr_t;
extern int errno;
extern pid_t getpid(void);

struct packet {
	uint8_t kind;
	size_t length;
	pid_t from;
	struct in6_addr to;
};
