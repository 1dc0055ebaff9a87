int x[typedef int];
