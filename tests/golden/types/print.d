#pragma D option quiet

typed:::request-start
{
	print(((request_t *)arg0)->op);
	print(((request_t *)arg0)->from);
	print((struct request *)arg0);
	print(((request_t *)arg0)->u);
}
