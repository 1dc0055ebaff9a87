BEGIN { @a[1] = count(); printa("%@d %s\n", @a); }
