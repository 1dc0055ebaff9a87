# SPDX-License-Identifier: BSD-2-Clause
#
# Reads files of cases, which tests/system/d_scripts.sh describes:
#
#	awk -v to=FOLDER -f cases.awk FILE ...	writes FOLDER/TOPIC/NAME.d,
#			NAME.err and so on for each case; prints a line for
#			each name that more than one case of a topic has
#	awk -v from=FOLDER -f cases.awk FILE	prints the file again, with the
#			output and the status that are in FOLDER/TOPIC for a
#			case

BEGIN {
	kinds = split("d err args env out status", kind, " ")
}

# Reads a file of a result into text[].  Returns false if there is none.
function read_result(which,	file, line, found)
{
	file = from "/" topic "/" name "." which
	text[which] = ""
	while ((found = (getline line <file)) > 0)
		text[which] = text[which] line "\n"
	close(file)
	return (found == 0)
}

function write_file(which, content,	file)
{
	file = to "/" topic "/" name "." which
	printf "%s", content >file
	close(file)
}

function take_apart(	i)
{
	if ((topic, name) in seen)
		print "FAIL " topic "/" name ": more than one case has this name"
	seen[topic, name] = 1
	write_file("flags", flags "\n")
	write_file("d", text["d"])
	for (i = 2; i <= kinds; i++)
		if (text[kind[i]] != "" && kind[i] text[kind[i]] != "status0\n")
			write_file(kind[i], text[kind[i]])
}

function print_again(	i, old)
{
	old = text["err"]
	if (!read_result("err"))
		text["err"] = old
	else {
		read_result("out")
		if (!read_result("status"))
			text["status"] = "0\n"
	}
	printf "%s\n%s---\n%s", header, text["d"], text["err"]
	for (i = 3; i <= kinds; i++)
		if (text[kind[i]] != "" &&
		    kind[i] text[kind[i]] != "status" usual_status "\n")
			printf "--- %s\n%s", kind[i], text[kind[i]]
}

function end_case()
{
	if (name == "")
		return
	if (from == "")
		take_apart()
	else
		print_again()
	name = ""
}

# A file is in the folder of its topic.
FNR == 1 {
	end_case()
	folders = split(FILENAME, folder, "/")
	topic = folder[folders - 1]
	usual_flags = topic == "errors" ? "-x errtags" : ""
	usual_status = topic == "errors" ? 1 : 0
}

/^=== / {
	end_case()
	header = $0
	name = substr($0, 5)
	flags = usual_flags
	bar = index(name, " |")
	if (bar != 0) {
		flags = substr(name, bar + 3)
		name = substr(name, 1, bar - 1)
	}
	for (i = 1; i <= kinds; i++)
		text[kind[i]] = ""
	text["status"] = usual_status "\n"
	part = "d"
	next
}

name == "" {
	if (from != "")
		print
	next
}

/^---( (args|env|out|status))?$/ {
	part = $0 == "---" ? "err" : $2
	text[part] = ""
	next
}

{
	text[part] = text[part] $0 "\n"
}

END {
	end_case()
}
