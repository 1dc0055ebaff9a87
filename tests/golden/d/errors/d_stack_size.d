BEGIN { stack(-5); }
