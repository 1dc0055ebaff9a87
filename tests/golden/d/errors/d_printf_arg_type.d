BEGIN { printf("%d", "a"); }
