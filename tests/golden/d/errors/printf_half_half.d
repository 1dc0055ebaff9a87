BEGIN { printf("%hhd\n", (char)3); }
