#pragma D option quiet

tick-1000 { exit(0); }
