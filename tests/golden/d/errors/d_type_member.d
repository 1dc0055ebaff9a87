struct s { int a; } x;
BEGIN { trace(x.b); }
