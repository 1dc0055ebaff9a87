void *p;
BEGIN { trace(*p); }
