profile:::tick-1s,
dtrace:::END
{
	trace(curthread);
}

syscall::read:entry
{
}
