BEGIN { @a[1] = count(); printa("%@s\n", @a); }
