BEGIN { x = arg0 ? alloca(5) : (void *)arg1; }
