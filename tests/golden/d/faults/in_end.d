#pragma D option quiet

int zero;

BEGIN { exit(0); }
END { trace(1 / zero); }
END { printf("second\n"); }
ERROR { printf("error\n"); }
