BEGIN { printf("%5%"); }
