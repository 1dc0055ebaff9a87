#pragma D option quiet


BEGIN { zero = 0; }
BEGIN { x = 1 / zero; }
BEGIN { x = *(int *)16; }
BEGIN { x = 1 % zero; }
ERROR { @faults[arg4] = count(); n++; }
BEGIN { printf("%d faults\n", n); printa("fault %d: %@d\n", @faults); exit(0); }
