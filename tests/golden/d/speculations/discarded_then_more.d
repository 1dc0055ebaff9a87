#pragma D option quiet

BEGIN { a = speculation(); }
BEGIN { speculate(a); printf("in\n"); }
BEGIN { discard(a); printf("discarded\n"); }
BEGIN { speculate(a); printf("nothing\n"); }
BEGIN { b = speculation(); printf("%d %d\n", a, b); exit(0); }
