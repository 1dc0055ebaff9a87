BEGIN { printf("%5.3.2d", 1); }
