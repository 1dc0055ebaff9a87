BEGIN { p = (void *)alloca(8); q = p + 1; }
