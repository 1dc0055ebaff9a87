kv:missing:f:n { trace(1); }
