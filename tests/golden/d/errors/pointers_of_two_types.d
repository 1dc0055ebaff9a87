BEGIN { p = (int *)5; q = (char *)5; trace(p == q); }
