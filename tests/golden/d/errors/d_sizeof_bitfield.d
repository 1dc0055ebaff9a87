struct s { int a:3; } x;
BEGIN { trace(sizeof (x.a)); }
