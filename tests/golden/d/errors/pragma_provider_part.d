#pragma D attributes Stable/Stable/Common provider dtrace name
#pragma D attributes Stable/Stable/Common provider dtrace parts
BEGIN { exit(0); }
