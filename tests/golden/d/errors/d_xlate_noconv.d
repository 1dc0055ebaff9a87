struct out { int x; int y; };
translator struct out < int *i > { x = *i; };
BEGIN { trace(xlate < struct out > ((int *)arg0).y); }
