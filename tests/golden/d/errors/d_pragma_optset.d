BEGIN { }
#pragma D option nonsense
