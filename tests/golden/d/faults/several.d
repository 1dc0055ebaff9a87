#pragma D option quiet

int zero;

BEGIN { trace(1 / zero); }
BEGIN { trace(2 / zero); }
ERROR { printf("%d\n", arg1); }
BEGIN { exit(0); }
