BEGIN { trace(args[1, 2]); }
