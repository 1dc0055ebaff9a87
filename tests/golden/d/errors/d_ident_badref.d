BEGIN { trace(self); }
