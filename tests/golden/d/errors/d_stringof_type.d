struct s { int a; } x;
BEGIN { trace(stringof(x)); }
