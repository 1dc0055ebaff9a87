inline int one = 1;
struct s { int a; } x;
BEGIN { trace(x.one); }
