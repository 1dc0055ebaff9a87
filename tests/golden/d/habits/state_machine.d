#pragma D option quiet

enum state { IDLE, RUNNING, DONE };
int state;

tick-1ms
/state == IDLE/
{
	printf("idle\n");
	state = RUNNING;
}

tick-1ms
/state == RUNNING/
{
	printf("running\n");
	state = DONE;
}

tick-1ms
/state == DONE/
{
	printf("done\n");
	exit(0);
}
