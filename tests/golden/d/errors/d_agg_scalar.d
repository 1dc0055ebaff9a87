BEGIN { @a = sum("a"); }
