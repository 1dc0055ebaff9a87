struct request {
	int length;
	struct {
		int retries;
	};
	struct request *next;
};

BEGIN
{
	trace(((struct request *)0)->next->retires);
}
