BEGIN { }
#pragma D attributes Stable/Stable/Common foo
#pragma D binding "1.0" bar
