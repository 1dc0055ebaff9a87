# SPDX-License-Identifier: BSD-2-Clause
#
# Makes tables for the completion of shells from tbufctl's own: from
# command_line.c its long options, getopt_long()'s letters, the names of --with
# and the text of --help, and from d_options.c and the library's options.c the
# names of -x.
#
#	awk -v shell=bash|zsh -f tables.awk command_line.c d_options.c options.c

function fail(text) {
	print "tables.awk: " text >"/dev/stderr"
	failed = 1
	exit 1
}

# Returns the text of the string literals in a line.
function literals(line,	text) {
	while (match(line, /"([^"\\]|\\.)*"/)) {
		text = text substr(line, RSTART + 1, RLENGTH - 2)
		line = substr(line, RSTART + RLENGTH)
	}
	return text
}

# Adds words, such as those of a|b, to the values of an option; the part of a
# word after = or : is not completed.
function add_values(option, text,	n, i, word) {
	gsub(/[][]/, "", text)
	sub(/,\.\.\.$/, "", text)
	n = split(text, word, "|")
	for (i = 1; i <= n; i++) {
		sub(/[=:].*/, "", word[i])
		if (word[i] != "" && !((option, word[i]) in has)) {
			has[option, word[i]]
			values[option] = values[option] \
			    (values[option] == "" ? "" : " ") word[i]
		}
	}
}

function add_x(name) {
	if (!(name in has_x)) {
		has_x[name]
		x[++nx] = name
	}
}

FNR == 1 { file++; part = "" }

# ---------------------------------------------------- command_line.c

file == 1 && /^static const struct option long_options/ { part = "long" }
part == "long" && match($0, /\{ "[a-z]+", [a-z]+_argument/) {
	split(substr($0, RSTART + 3), field, /[", ]+/)
	long[++nlong] = "--" field[1]
	takes["--" field[1]] = field[2]
}
file == 1 && /^const char options_usage/ { part = "usage" }
part == "usage" && /"/ {
	text = literals($0)
	usage = usage text
}
file == 1 && /getopt_long\(/ { part = "letters" }
part == "letters" { letters = letters literals($0) }
part == "letters" && /long_options/ { part = "" }
file == 1 && /^const char \*const with_names/ { part = "with" }
part == "with" { text = $0
	while (match(text, /"[a-z]+"/)) {
		with = with (with == "" ? "" : " ") \
		    substr(text, RSTART + 1, RLENGTH - 2)
		text = substr(text, RSTART + RLENGTH)
	}
}
file == 1 && /^parse_x\(/ { part = "x" }
part == "x" && match($0, /strcmp\(name, "[a-z]+"\)/) {
	split(substr($0, RSTART), field, "\"")
	add_x(field[2])
}
/^}/ { part = "" }
/;$/ && (part == "usage" || part == "with") { part = "" }

# ---------------------------------------------------- d_options.c

file == 2 && /^} own\[\] = / { part = "own" }
part == "own" && /^	\{ "/ && !/IGNORED/ {
	split($0, field, "\"")
	add_x(field[2])
	if (/ONE_OF/) {
		gsub(" ", "|", field[4])
		add_values("-x " field[2], field[4])
	}
}
part == "own" && /^};/ { part = "" }

# ---------------------------------------------------- options.c

file == 3 && match($0, /^	OPTION\([a-z]+/) {
	add_x(substr($0, 9, RLENGTH - 8))
}

# ---------------------------------------------------- --help

# The synopsis has the arguments of options.
function read_synopsis(text,	n, i, word, option, name) {
	gsub(/\\n/, " ", text)
	n = split(text, word, / +/)
	for (i = 1; i <= n; i++) {
		sub(/^\[+/, "", word[i])
		if (match(word[i], /^--[a-z]+/)) {
			name = substr(word[i], 1, RLENGTH)
			word[i] = substr(word[i], RLENGTH + 1)
			sub(/^\[?=/, "", word[i])
			add_values(name, word[i])
		} else if (word[i] ~ /^-[0-9]+\|-[0-9]+\]$/) {
			gsub(/[]|]/, " ", word[i])
			numbers = word[i]
		} else if (word[i] ~ /^-[A-Za-z]+\]?$/) {
			option = word[i]
			sub(/\]/, "", option)
			add_letters(substr(option, 2), word[i + 1])
		}
	}
}

function add_letters(text, argument,	i, c, at) {
	for (i = 1; i <= length(text); i++) {
		c = substr(text, i, 1)
		if ((at = index(letters, c)) == 0)
			fail("getopt_long() has no -" c)
		if (!(("-" c) in takes)) {
			short[++nshort] = "-" c
			takes["-" c] = "no_argument"
			if (substr(letters, at + 1, 1) == ":")
				takes["-" c] = "required_argument"
		}
		if (takes["-" c] == "required_argument")
			add_values("-" c, argument)
	}
}

# Options stand before column 23, and their descriptions after it.
function read_descriptions(text,	n, i, line, k, head, heads, about) {
	n = split(text, line, /\\n/)
	for (i = 1; i <= n; i++) {
		if (line[i] ~ /^  -/) {
			for (k in head)
				describe(head[k], about)
			about = ""
			split("", head)
			heads = line[i]
			if (substr(line[i], 22, 1) == " ") {
				heads = substr(line[i], 1, 22)
				about = substr(line[i], 23)
			}
			k = 0
			while (match(heads, /-[-a-zA-Z0-9]+/)) {
				head[++k] = substr(heads, RSTART, RLENGTH)
				heads = substr(heads, RSTART + RLENGTH)
				sub(/^[^ ,]*[ ,]*/, "", heads)
				if (heads !~ /^-/)
					sub(/^[^,]*/, "", heads)
			}
		} else if (line[i] ~ /^ +/) {
			sub(/^ +/, "", line[i])
			about = about (about == "" ? "" : " ") line[i]
		} else {
			for (k in head)
				describe(head[k], about)
			split("", head)
		}
	}
}

function describe(option, about) {
	if (option == "-x")
		read_x(about)
	sub(/ *[;:(].*/, "", about)
	if (!(option in about_of))
		about_of[option] = about
}

# The description of -x has the values of some names: bufscope=cpu|thread.
function read_x(about,	n, i, word) {
	n = split(about, word, /[ ,;:]+/)
	for (i = 1; i <= n; i++)
		if (word[i] ~ /^[a-z]+=[a-z]+(\|[a-z]+)*$/ &&
		    word[i] !~ /=(file|from|component|outcome)$/)
			add_values("-x " substr(word[i], 1,
			    index(word[i], "=") - 1),
			    substr(word[i], index(word[i], "=") + 1))
}

# ---------------------------------------------------- output

function quoted(text) {
	gsub(/'/, "'\\''", text)
	return "'" text "'"
}

function print_bash(	i, option) {
	printf "_tbufctl_options='"
	for (i = 1; i <= nshort; i++)
		printf "%s%s", i == 1 ? "" : " ", short[i]
	printf " %s'\n", numbers
	printf "_tbufctl_long='"
	for (i = 1; i <= nlong; i++)
		printf "%s%s%s", i == 1 ? "" : " ", long[i],
		    takes[long[i]] == "required_argument" ? "=" : ""
	print "'"
	print "declare -gA _tbufctl_values=("
	for (i = 1; i <= nshort; i++)
		if (takes[short[i]] == "required_argument")
			printf "\t[%s]=%s\n", short[i],
			    quoted(values[short[i]])
	for (i = 1; i <= nlong; i++)
		if (takes[long[i]] != "no_argument")
			printf "\t[%s]=%s\n", long[i], quoted(values[long[i]])
	for (i = 1; i <= nx; i++)
		if (("-x " x[i]) in values)
			printf "\t[%s]=%s\n", "-x " x[i],
			    quoted(values["-x " x[i]])
	print ")"
}

function print_zsh(	i, spec, about) {
	print "#compdef tbufctl\n"
	print "local -a _tbufctl_specs=("
	for (i = 1; i <= nshort + nlong; i++) {
		spec = i <= nshort ? short[i] : long[i - nshort]
		about = about_of[spec] == "" ? values[spec] : about_of[spec]
		gsub(/[][\\]/, "\\\\&", about)
		if (takes[spec] == "required_argument")
			spec = "*" spec (i <= nshort ? "+" : "=") "[" about \
			    "]:value: _tbufctl_argument " spec
		else if (takes[spec] == "optional_argument")
			spec = spec "=-[" about "]::value: _tbufctl_argument " \
			    spec
		else
			spec = spec "[" about "]"
		printf "\t%s\n", quoted(spec)
	}
	split(numbers, number, " ")
	for (i = 1; i in number; i++)
		printf "\t%s\n", quoted(number[i] "[" about_of[number[i]] "]")
	print ")"
	print "local -A _tbufctl_values=("
	for (i = 1; i <= nshort; i++)
		if (takes[short[i]] == "required_argument")
			printf "\t%s %s\n", short[i], quoted(values[short[i]])
	for (i = 1; i <= nlong; i++)
		if (takes[long[i]] != "no_argument")
			printf "\t%s %s\n", long[i], quoted(values[long[i]])
	for (i = 1; i <= nx; i++)
		if (("-x " x[i]) in values)
			printf "\t%s %s\n", quoted("-x " x[i]),
			    quoted(values["-x " x[i]])
	print ")"
}

END {
	if (failed)
		exit 1
	at = index(usage, "\\n\\n")
	read_synopsis(substr(usage, 1, at - 1))
	read_descriptions(substr(usage, at + 4))
	if (nlong == 0 || nshort == 0 || nx < 40 || with == "" || at == 0 ||
	    numbers == "")
		fail("a table was not found")
	values["--with"] = with
	values["-x"] = ""
	for (i = 1; i <= nx; i++)
		values["-x"] = values["-x"] (i == 1 ? "" : " ") x[i]
	sub(/ +$/, "", numbers)
	if (shell == "bash")
		print_bash()
	else
		print_zsh()
}
