BEGIN { stop(); speculate(1); }
