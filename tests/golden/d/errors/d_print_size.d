struct nobody *p;
BEGIN { print(p); }
