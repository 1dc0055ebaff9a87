provider shop { probe sold(); };
#pragma D attributes Stable/Stable/Common provider shop args
#pragma D attributes Stable/Stable/Common provider shop parts
BEGIN { exit(0); }
