#pragma D option quiet


string state[string, int];

BEGIN { state["disk", 0] = "ok"; state["disk", 1] = "bad"; s = state["disk", 1]; }
BEGIN /s == "bad"/ { printf("disk 1: %s\n", s); state["disk", 1] = NULL; }
BEGIN { printf("%d\n", state["disk", 1] == NULL); exit(0); }
