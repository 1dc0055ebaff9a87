#pragma D option quiet

BEGIN { a = speculation(); exit(0); }
END { speculate(a); printf("end\n"); }
END { commit(a); }
