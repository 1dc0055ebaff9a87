BEGIN { @a = count; }
