BEGIN { trace(args["x"]); }
