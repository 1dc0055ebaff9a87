#pragma D option quiet

/* Known at once, with no probe: sizes, offsets, constants. */
request_t *global;
struct mine { request_t r; int more; };
inline int put = OP_PUT;

BEGIN
{
	printf("%d %d %d %d\n", sizeof(struct request), sizeof(request_t),
	    sizeof(peer_t), sizeof(struct mine));
	printf("%d %d %d\n", offsetof(struct request, op),
	    offsetof(request_t, matrix), offsetof(struct peer, last));
	printf("%d %d %d %d\n", OP_GET, OP_LAST, put, (enum op)1 == OP_GET);
	this->r = global + 1;
	printf("%d\n", (uint64_t)this->r - (uint64_t)global);
	printf("%d\n", sizeof(this->r->from.octets));
	exit(0);
}
