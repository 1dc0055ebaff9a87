BEGIN { @a = llquantize(1, 10, 0, 3, 65536); }
