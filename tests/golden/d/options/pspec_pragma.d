#pragma D option pspec

/* A type and a pointer to it without that option. */
char*tick
