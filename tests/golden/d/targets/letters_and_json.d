/* In a target, as in the consumer. */
#pragma D option quiet

tt:::count
/toupper(copyinstr(arg1)) == "A TEXT" &&
    json("{\"n\":[1,\"two\"]}", "n[1]") == "two"/
{
	printf("%s %s\n", tolower("A Text"), json("[0,{\"a\":5}]", "1.a"));
	@[json(strjoin(strjoin("{\"t\":\"", copyinstr(arg1)), "\"}"), "t")] =
	    count();
}
