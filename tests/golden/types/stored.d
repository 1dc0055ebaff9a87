#pragma D option quiet

/* A bit-field is stored among its neighbours. */
typed:::request-start
{
	this->r = *(request_t *)arg0;
	this->r.b = 3;
	this->r.d = 2;
	this->r.u.number++;
	printf("%d %d %d %d %x\n", this->r.a, this->r.b, this->r.c,
	    this->r.d, this->r.u.number);
	this->r.c = -1;
	printf("%d %d %d %d\n", this->r.a, this->r.b, this->r.c, this->r.d);
}
