#pragma D option quiet
#pragma D option destructive

/* Into the program's memory; what may not be written is a fault. */
typed:::request-start
{
	this->b = (int *)alloca(4);
	*this->b = 12;
	copyout(this->b, (uintptr_t)&req->x, 4);
	copyoutstr("POST", (uintptr_t)&req->verb[0], 8);
	copyoutstr("/tm", (uintptr_t)&req->u, 2);
}

typed:::request-start
{
	printf("%d %d %s %c%d%c\n", req->x, req->y, req->verb,
	    req->u.bytes[0], req->u.bytes[1], req->u.bytes[2]);
}

typed:::request-start
{
	copyoutstr("x", (uintptr_t)req->path, 2);
	printf("not reached\n");
}
