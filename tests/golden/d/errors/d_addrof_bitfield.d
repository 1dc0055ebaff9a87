struct s { int a:3; } x;
BEGIN { trace(&x.a); }
