BEGIN { @a = count(); normalize(@a, "2"); }
