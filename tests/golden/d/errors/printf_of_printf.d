BEGIN { printf("%d", printf("a")); }
