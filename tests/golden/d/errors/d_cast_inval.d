struct s { int a; } x;
BEGIN { trace((int)x); }
