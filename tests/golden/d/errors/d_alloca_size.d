BEGIN { p = alloca(101); }
