# SPDX-License-Identifier: BSD-2-Clause
#
# Prints a random D script for the probes of target.c: awk -v seed=N -f
# script.awk.  The script prints no times, so that each run has the same output.

# Returns a number below n, equal with every awk (Lehmer, 31 bits).
function draw(n) {
	state = state * 16807 % 2147483647
	return int(state / 2147483647 * n)
}


function pick(line,    list, n) {
	n = split(line, list, "~")
	return list[1 + draw(n)]
}

# Returns a numeric argument of the probe.
function argument() {
	if (probe == "numbers")
		return pick("arg0~arg1~arg2~arg3~a~b~c~d~args[1]~args[2]")
	return pick("arg0~args[0]~d")
}

function constant() {
	return pick("0~1~2~3~4~5~10~127~255~-1~-127~32768~65535~4294967295")
}

function variable() {
	return pick("self->x~self->x~self->y~this->t~this->t~g~n~" element())
}

function element() {
	return pick("h~self->m") "[" pick("arg0~arg0~1~self->x") "]"
}

function leaf(    k) {
	k = draw(8)
	return k < 4 ? argument() : k < 6 ? constant() : variable()
}

function number(depth) {
	if (depth == 0 || draw(3) == 0)
		return leaf()
	if (draw(6) == 0)
		return "(" pick("char~uint8_t~short~int~uint32_t~long") ")" \
		    argument()
	if (draw(8) == 0)
		return "(" argument() " > 1 ? " number(depth - 1) " : " \
		    number(depth - 1) ")"
	if (draw(8) == 0)
		return "(" variable() pick(" / ~ % ") argument() ")"
	return "(" variable() pick(" + ~ - ~ * ~ & ~ | ~ ^ ~ == ~ < ~ && ") \
	    number(depth - 1) ")"
}

function comparison() {
	return argument() pick(" == ~ != ~ < ~ <= ~ > ~ >= ") constant()
}

# Returns a condition that has the same value at each fire.
function process() {
	return pick("pid == 1~pid != 1~execname == \"target\"~" \
	    "execname == \"targe\"~probename != \"text\"~" \
	    "probename == \"numbers\"~probeprov == \"df\"")
}

function predicate(    k, n, how, s) {
	k = draw(10)
	if (k < 2)
		return ""
	if (k == 8)
		return "/" process() pick(" && ~ || ") process() "/\n"
	if (k == 9)
		return "/" process() pick(" && ~ || ") comparison() \
		    pick(" && ~ || ") process() "/\n"
	if (k < 4)
		return "/" variable() "/\n"
	if (k == 4)
		return "/" number(2) "/\n"
	s = comparison()
	how = pick(" && ~ || ")
	for (n = draw(3); n > 0; n--)
		s = s how comparison()
	return "/" s "/\n"
}

function text() {
	if (probe == "text" && draw(2))
		return pick("s~s~args[1]")
	return pick("probefunc~probename~execname~\"lit\"~\"a longer text\"")
}

# An aggregation with the same function and keys is shared by all clauses.
function aggregation(simple,    n, name, keys, value, how) {
	how = pick("count~count~sum~avg~min~max~quantize~lquantize~" \
	    "stddev")
	for (n = pick("0~0~1~1~2~3~4"); n > 0; n--) {
		if (draw(4)) {
			name = name "n"
			value = draw(5) || !simple ? argument() : leaf()
			if (!simple && draw(2))
				value = number(1)
			value = "(long)(" value ")"
			# The fast paths know such plain values.
			if (draw(2))
				value = pick("arg0~arg0~1~5")
		} else {
			name = name "t"
			value = text()
		}
		keys = keys (keys == "" ? "[" : ", ") value
	}
	keys = keys == "" ? "" : keys "]"
	value = simple && draw(4) ? argument() : simple ? leaf() : number(2)
	if (how == "count")
		value = ""
	if (how == "lquantize")
		value = value ", -10, 10, 5"
	return "@" how "_" name keys " = " how "(" value ")"
}

function assignment(simple,    value) {
	if (draw(4) == 0)
		return variable() pick("++~--~++")
	value = simple ? pick("0~0~1~" argument()) : number(2)
	return variable() " = " value
}

function record() {
	if (draw(2))
		return "printf(\"%d %d %d\\n\", " argument() ", " leaf() ", " \
		    argument() ")"
	return "trace(" pick(number(2) "~" text() "~" argument()) ")"
}

function statement(simple,    k) {
	k = draw(8)
	if (k < 4 || (simple && k < 7))
		return aggregation(simple)
	return k < 7 ? assignment(simple) : record()
}

# Returns one operation with a constant.
function computed(of) {
	if (draw(4) == 0)
		return "(" pick("char~uint8_t~short~int~uint32_t") ")" of
	return of pick(" / ~ % ~ * ~ + ~ - ~ << ~ >> ~ & ") \
	    pick("1~2~7~10~255~1000")
}

# Returns statements with this-> variables and two of the thread's numbers.
function statements(    n, s, v) {
	v = pick("this->t~this->u")
	s = "\t" v " = " pick(argument() "~" computed(argument())) ";\n"
	for (n = 1 + draw(3); n > 0; n--)
		s = s "\t@" pick("sum~min~max") "_n[" \
		    pick("arg0~(long)(" computed("arg0") ")~self->y") "] = sum(" \
		    pick(v "~" v "~" computed(v) "~self->x~arg0") ");\n" \
		    (draw(4) ? "" : "\t" v " = " computed(v) ";\n") \
		    (draw(6) ? "" : "\tself->y = " v ";\n")
	gsub(/@min_n\[[^]]*\] = sum/, "@least = min", s)
	gsub(/@max_n\[[^]]*\] = sum/, "@most = max", s)
	return "{\n" s "}"
}

# Returns a clause that a fast path handles as a whole, or nearly so.
function shape(    v) {
	if (draw(3) == 0)
		return (draw(2) ? "/" pick("self->x~self->y") "/\n" : "") \
		    statements()
	v = pick("self->x~self->x~self->y~h[arg0]~self->m[arg0]")
	if (draw(4) == 0)
		return "{\n\t" v " = " pick("1~arg0~arg0 > 2") ";\n}"
	if (draw(4) == 0)
		return "{\n\tthis->t = " argument() ";\n\t@sum_n[" \
		    pick("arg0~this->t") "] = sum(this->t);\n\t" \
		    aggregation(1) ";\n}"
	return "/" v "/\n{\n\t" aggregation(1) ";\n\t" \
	    (draw(2) ? aggregation(1) ";\n\t" : "") \
	    (draw(4) ? v : element()) " = 0;\n}"
}

function clause(    n, simple) {
	probe = pick("numbers~numbers~text~one")
	if (draw(2)) {
		printf "df:::%s\n%s\n", probe, shape()
		return
	}
	simple = draw(3)
	printf "df:::%s\n%s{\n", probe, predicate()
	for (n = 1 + draw(3) * draw(2); n > 0; n--)
		printf "\t%s;\n", statement(simple)
	if (!simple && draw(3) == 0)
		printf "\tif (%s) { %s; } else { %s; }\n", number(2), \
		    statement(0), statement(0)
	print "}"
}

BEGIN {
	state = (seed * 2654435 + seed * seed % 99991 * 7919) % 2147483646 + 1
	print "self " pick("int~long~uint8_t~short") " x; self long y;"
	print "this long t; this int u; long g; " pick("int~uint16_t~char") " n;"
	print pick("int~long~uint8_t") " h[long]; self long m[long];"
	for (i = 3 + draw(8); i > 0; i--)
		clause()
	print "END { printf(\"%d %d\\n\", g, n); }"
}
