# SPDX-License-Identifier: BSD-2-Clause
#
# Prints a script without comments and without the spaces and line ends that it
# does not need, and with short names.  The script lists the names that are its
# own in lines that begin with "//" and a tab: no property of a browser, no word
# in a text and no key of data is called so.  Comments have lines of their own,
# texts are in '' and "", and no regular expression has a quote or a space.

function short(n,    letters)
{
	letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	return "$" (n < 52 ? "" : substr(letters, int(n / 52), 1)) \
	    substr(letters, n % 52 + 1, 1)
}

# Prints a piece, after a space if it would join the piece before.
function put(piece,    both)
{
	if (ended) {
		printf "\n"
		last = ""
	}
	ended = 0
	both = last substr(piece, 1, 1)
	if (spaced && (both ~ /^[A-Za-z0-9_$][A-Za-z0-9_$'"]$/ ||
	    both == "++" || both == "--"))
		printf " "
	printf "%s", piece
	last = substr(piece, length(piece))
	spaced = 0
}

/^\/\/\t/ {
	for (i = 2; i <= NF; i++)
		name[$i] = short(count++)
	next
}

/^[ \t]*(\/\/|$)/ {
	next
}

{
	line = $0
	while (line != "") {
		if (match(line, /^[ \t]+/))
			spaced = 1
		else if (match(line, /^'([^'\\]|\\.)*'/) ||
		    match(line, /^"([^"\\]|\\.)*"/))
			put(substr(line, 1, RLENGTH))
		else if (match(line, /^[A-Za-z0-9_$]+/)) {
			word = substr(line, 1, RLENGTH)
			if (word == "const")
				word = "let"
			put(word in name ? name[word] : word)
		} else {
			RLENGTH = 1
			put(substr(line, 1, 1))
		}
		line = substr(line, RLENGTH + 1)
	}
	ended = last != "" && last !~ /[{(,;:?&|=]/
	spaced = 1
}
