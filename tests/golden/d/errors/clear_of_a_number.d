BEGIN { @a = count(); clear(3); }
