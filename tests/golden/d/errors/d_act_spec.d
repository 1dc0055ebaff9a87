BEGIN { speculate(1); system("ls"); }
