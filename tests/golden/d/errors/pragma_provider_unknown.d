#pragma D attributes Stable/Stable/Common provider shop name
BEGIN { exit(0); }
