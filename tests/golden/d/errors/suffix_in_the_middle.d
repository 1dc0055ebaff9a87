BEGIN { trace(1lul); }
