BEGIN { trace("start"); }
tick-1ms /++n == 2/ { trace(n); exit(0); }
END { trace("end"); }
