struct out { int x; };
BEGIN { trace(xlate < struct out > (arg0).x); }
