/* json() finds values of JSON by their names and places. */
#pragma D option quiet
#pragma D option strsize=300

#define J(s, path)	printf("%s|", json(s, path) != NULL ? json(s, path) : \
			    "<NULL>")

BEGIN
{
	s = "{\"id\": 7, \"who\" : {\"name\":\"Ann \\\"x\\\"\",\"old\":null},";
	s = strjoin(s, "\t\"list\":[ 1.5e+3, -2 ,{\"k\":[]},\"}],{\" , true]}");
	printf("%s\n", s);
	J(s, "id"); J(s, "who.name"); J(s, "who.old"); J(s, "who");
	printf("\n");
	J(s, "list"); J(s, "list[0]"); J(s, "list.1"); J(s, "list[2].k");
	J(s, "list[3]"); J(s, "list[4]"); J(s, "list[0"); printf("\n");
	/* These are not there. */
	J(s, "list[5]"); J(s, "list[-1]"); J(s, "id.x"); J(s, "who.nam");
	J(s, "who.name.x"); J(s, "names"); J(s, ""); J(s, "list[2].k[0]");
	printf("\n");
}

BEGIN
{
	J(" [10,20, [30,31]]", "[1]"); J("[10,20,[30,31]]", "2[1]");
	J("[10,20,[30,31]]", "[2][0]"); J("[10]", "x"); J("{\"\":1}", "");
	J("[\"\\u00e9 \\t\", 1]", "0"); J("[\"a\"]", "0"); printf("\n");
	/* This is no JSON, or not all of it. */
	J("[]", "0"); J("[0x10]", "0"); J("[1", "0"); J("[\"a", "0");
	J("[\"\\u00eg\",1]", "1"); J("[tru]", "0"); J("[trues]", "0");
	J("{\"a\" 1}", "a"); J("{a:1}", "a"); J("[1 2]", "1"); J("1", "0");
	J("", ""); J("[\"a\\", "0"); J("{\"a\":}", "a"); J("[[1]", "0");
	J("[ , 2]", "1"); J("[{\"a\":1,", "0");
	printf("\n");
}

BEGIN
{
	printf("%s %s %s\n", toupper("aZ9"), tolower("aZ9"),
	    toupper(json("[\"ok\"]", "0")));
}

BEGIN
{
	trace(json(NULL, "a"));
}

BEGIN
{
	trace(json("[1]", NULL));
}

BEGIN
{
	trace(tolower(NULL));
}

BEGIN
{
	exit(json("[1]", "1") != NULL);
}
