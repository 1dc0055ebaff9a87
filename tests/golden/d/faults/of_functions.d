#pragma D option quiet

string null;

BEGIN { trace(strlen(null)); }
BEGIN { trace(strjoin("a", null)); }
BEGIN { trace(substr(null, 1)); }
BEGIN { trace(basename(null)); }
BEGIN { trace(index(null, "a")); }
BEGIN { trace(strtoll(null)); }
ERROR { printf("%d %d\n", arg4, arg5); }
BEGIN { exit(0); }

#pragma D option noerror
