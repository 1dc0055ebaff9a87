struct in { int a; }; struct out { int x; };
translator struct out < struct in *i > { x = i->a; };
translator struct out < struct in *i > { x = 1; };
