this int x[int];
