BEGIN { printf("%ws\n", "b"); }
