/* ERROR tells of the thread whose clause has failed. */
tt:::count
{
	self->x = *(int *)arg0;
}

ERROR
{
	printf("%d %d %d %s %d\n", arg4, pid == $target, tid == $target,
	    execname, timestamp > 0);
}

END
{
	printf("%d %s\n", pid == $pid, execname);
}
