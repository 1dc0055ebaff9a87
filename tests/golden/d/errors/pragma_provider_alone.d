#pragma D attributes Stable/Stable/Common provider dtrace
BEGIN { exit(0); }
