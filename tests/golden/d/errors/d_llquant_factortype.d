BEGIN { @a = llquantize(1, pid, 0, 3, 10); }
