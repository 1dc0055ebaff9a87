struct nobody *p;
BEGIN { trace(p->a); }
