BEGIN { speculate(1); system("x"); }
