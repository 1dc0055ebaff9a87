BEGIN { @a = count(); trunc(@a, "2"); }
