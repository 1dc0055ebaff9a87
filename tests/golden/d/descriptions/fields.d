#pragma D option quiet

dtrace:::BEGIN { printf("1\n"); }
:::BEGIN { printf("2\n"); }
::BEGIN { printf("3\n"); }
:BEGIN { printf("4\n"); }
BEGIN { printf("5\n"); }
dtrace::: { printf("%s\n", probename); }
BEGI? { printf("6\n"); }
d*:::BEGIN { printf("7\n"); }
*::BEGIN { printf("8\n"); }
profile:::tick-1ms { exit(0); }
