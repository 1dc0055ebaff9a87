BEGIN { @a[1] = count(); printa(@a, 4); }
