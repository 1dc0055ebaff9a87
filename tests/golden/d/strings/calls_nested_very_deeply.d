#pragma D option quiet

BEGIN
{
	i = 1;
	s = strjoin("a", strjoin("b", strjoin("c", strjoin("d", strjoin("e",
	    strjoin("f", strjoin("g", strjoin("h", strjoin("i", strjoin("j",
	    strjoin("k", strjoin("l", strjoin("m", strjoin("n", strjoin("o",
	    strjoin("p", strjoin("q", strjoin("r", lltostr(i)))))))))))))))))));
	printf("%s\n", s);
	printf("%s\n", substr("0123456789", i, index("abcdefgh", substr("xfx",
	    i, index("abcdefgh", substr("xbx", i, index("abcdefgh",
	    substr("xbx", i, index("abcdefgh", substr("xbx", i,
	    index("abcdefgh", substr("xbx", i, i))))))))))));
	printf("%s\n", s == strjoin("a", strjoin("b", "c")) ? "same" :
	    s > strjoin("a", strjoin("b", "c")) ? "more" : "less");
	exit(0);
}
