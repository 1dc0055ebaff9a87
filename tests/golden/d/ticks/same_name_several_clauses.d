#pragma D option quiet

tick-1ms { printf("a"); }
tick-1ms { printf("b"); }
tick-1ms { printf("c\n"); exit(0); }
