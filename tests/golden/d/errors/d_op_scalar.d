struct s { int a; } x;
BEGIN { trace(x && 1); }
