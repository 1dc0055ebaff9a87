BEGIN { timestamp(1); }
