#pragma D option quiet
#pragma D option strsize=4

BEGIN { @["abcdef"] = count(); @["abcdxx"] = count(); printa("%s %@d\n", @); exit(0); }
