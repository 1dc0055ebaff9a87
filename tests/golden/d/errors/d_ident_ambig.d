# 1 "header.h" 1
enum e { pid, other } x;
# 3 "/dev/fd/3" 2
BEGIN { trace(x == pid); }
