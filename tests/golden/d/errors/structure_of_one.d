struct s { int x; } a[int];

BEGIN { a[1] = 1; }
