BEGIN { @a["x", 5] = count(); printa("[%*s]\n", @a); }
