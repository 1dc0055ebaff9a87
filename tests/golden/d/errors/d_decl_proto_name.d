int f(void x);
