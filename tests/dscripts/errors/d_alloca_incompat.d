BEGIN { x = arg0 ? alloca(5) : copyin(arg1, 5); }
