BEGIN { x = (a + b)(1); }
