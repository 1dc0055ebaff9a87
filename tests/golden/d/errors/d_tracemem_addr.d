BEGIN { tracemem("a", 10); }
