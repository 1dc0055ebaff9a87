#pragma D option tregs=17

/* Parts of a key and arguments that wait for registers do so in targets, too. */
tt:::count
{
	@[arg0, 2, 3, 4, 5, 6, 7, 8, 9, stringof(arg1), 11, 12, 13, 14, 15, 16,
	    17, arg0 + 17] = sum(arg0);
	a[arg0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17,
	    stringof(arg1)] = arg0 + 5;
	b = a[arg0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17,
	    stringof(arg1)];
	@s[strjoin("a", strjoin("b", strjoin("c", strjoin("d", strjoin("e",
	    strjoin("f", strjoin("g", strjoin("h", strjoin("i", strjoin("j",
	    strjoin("k", strjoin("l", strjoin("m", strjoin("n", strjoin("o",
	    stringof(arg1))))))))))))))))] = count();
}

END
{
	printf("%d\n", b);
}
