# SPDX-License-Identifier: BSD-2-Clause
#
# Checks arrows between files against doc/layers.txt:
#
#	awk -v kind=calls -f layers.awk doc/layers.txt arrows
#
# A line of arrows is "FILE FILE REASON": the first file uses the second one;
# files are named without their suffix.  Prints the arrows that no line of the
# table allows; for calls, also circles that its list does not have, or has with
# another size.  The last line is "N arrows, N circles, N faults".

function folder(file) {
	sub(/\/[^\/]*$/, "", file)
	return file
}

# Lets a folder use NAME; "*NAME" adds everything that NAME may use.
function allow(from, name,	key, part) {
	if (sub(/^\*/, "", name)) {
		if (!(name in known))
			fault("doc/layers.txt: " from " uses " name \
			    ", which no line before it has")
		for (key in may) {
			split(key, part, SUBSEP)
			if (part[1] == name)
				may[from, part[2]] = 1
		}
	}
	may[from, name] = 1
}

function fault(text) {
	print text
	faults++
}

FNR == NR {
	goes_on = /^[ \t]/
	sub(/#.*/, "")
	if (NF == 0)
		next
	if (goes_on && in_circle) {
		circle[ncircles_listed] = circle[ncircles_listed] " " $0
		next
	}
	if (goes_on) {
		for (i = 1; i <= NF; i++)
			allow(name, $i)
		next
	}
	in_circle = $1 == "circle"
	if ($1 == "circle") {
		$1 = ""
		circle[++ncircles_listed] = $0
		next
	}
	name = $1
	sub(/:$/, "", name)
	known[name] = 1
	may[name, name] = 1
	for (i = 2; i <= NF; i++)
		allow(name, $i)
	next
}

{
	arrows++
	from = folder($1)
	to = folder($2)
	if (!(from in known))
		fault($1 ": doc/layers.txt has no folder " from)
	else if (!((from, to) in may) && !((from, $2) in may) &&
	    !(($1, to) in may) && !(($1, $2) in may))
		fault($1 " may not use " $2 " (" $3 ")")
	if ($1 == $2 || (($1, $2) in calls))
		next
	calls[$1, $2] = 1
	callees[$1] = callees[$1] " " $2
	node[$1] = node[$2] = 1
}

# Marks all that can be reached from a file.
function reach(start, from,	i, n, list) {
	n = split(callees[from], list, " ")
	for (i = 1; i <= n; i++) {
		if ((start, list[i]) in reached)
			continue
		reached[start, list[i]] = 1
		reach(start, list[i])
	}
}

# Returns the number of files of a listed circle that the circle "members" has.
function listed(line, members,	i, n, file, in_it) {
	n = split(line, file, " ")
	for (i = 1; i <= n; i++)
		in_it += index(members, " " file[i] " ") > 0
	return in_it
}

END {
	for (a in node)
		if (kind == "calls")
			reach(a, a)
	for (a in node) {
		if (!((a, a) in reached) || (a in done))
			continue
		members = " "
		size = 0
		for (b in node)
			if (((a, b) in reached) && ((b, a) in reached)) {
				members = members b " "
				done[b] = 1
				size++
			}
		ncircles++
		for (c = 1; c <= ncircles_listed; c++)
			if ((in_it = listed(circle[c], members)) > 0)
				break
		if (c > ncircles_listed)
			fault("circle:" members)
		else if (in_it < size)
			fault("circle is larger than its line in " \
			    "doc/layers.txt:" members)
		else if (split(circle[c], unused, " ") > size)
			fault("circle is smaller than its line in " \
			    "doc/layers.txt:" members)
		found[c] = 1
	}
	for (c = 1; kind == "calls" && c <= ncircles_listed; c++)
		if (!(c in found))
			fault("doc/layers.txt lists a circle that is none:" \
			    circle[c])
	print arrows + 0 " arrows, " ncircles + 0 " circles, " faults + 0 \
	    " faults"
	exit faults > 0
}
