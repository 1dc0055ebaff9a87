#pragma D option quiet

BEGIN { a = speculation(); }
BEGIN { speculate(a); printf("%d %d\n", 1, 2); }
BEGIN { commit(a); }
BEGIN { exit(0); }
