# SPDX-License-Identifier: BSD-2-Clause
#
# Makes the probes of the provider syscall, as rows of the probe table, from
# preprocessed text: NUMBER "call" n, and the rows of rows.h.  series.c says how
# the lines are used.

function fail(why)
{
	print "series.awk: " why >"/dev/stderr"
	failed = 1
	exit 1
}

# Returns the exclusive or of two bytes.
function xor(a, b,    bit, result)
{
	for (bit = 1; bit < 256; bit *= 2) {
		if (a % 2 != b % 2)
			result += bit
		a = int(a / 2)
		b = int(b / 2)
	}
	return result + 0
}

# FNV-1a of a byte (libtbuf/target/file/probe_table.c): times 2^24 + 403.
function hash_byte(hash, byte)
{
	hash += xor(hash % 256, byte) - hash % 256
	return (hash * 403 + hash % 256 * 16777216) % 4294967296
}

# Hashes a string with its NUL.
function hash_text(hash, text,    i)
{
	for (i = 1; i <= length(text); i++)
		hash = hash_byte(hash, code[substr(text, i, 1)])
	return hash_byte(hash, 0)
}

function number_of(type)
{
	if (!(type in types))
		fail("no type " type)
	return types[type]
}

# Prints the end of a row: the number of arguments, their types, their shape (a
# number for each list of types), and the hash.
function row(list, n, hash,    i, text)
{
	for (i = 1; i <= n; i++) {
		text = text sprintf("\\%o", list[i])
		hash = hash_byte(hash, list[i])
	}
	if (!(text in shapes))
		shapes[text] = nshapes++
	printf "%d, \"%s\", %d, %.0fu", n, text, shapes[text], hash
}

function call(number, name,    a, n, i, part, all, leave, list, back, paths, np)
{
	n = split(name in arguments ? arguments[name] : unknown, a, " ")
	np = 0
	back[1] = types["i64"]
	back[2] = types["i32"]
	for (i = 1; i <= n; i++) {
		split(a[i], part, ":")
		all = all (i == 1 ? "" : "\\0\" \"") part[1]
		list[i] = number_of(part[2])
		if (part[2] == "path" && np < 2) {
			back[3 + np] = string
			leave = leave "\\0\" \"" part[1]
			paths = paths (np == 0 ? "" : ", ") i - 1
			np++
		}
	}
	printf "TEXT(f_%s, \"%s\")\n", name, name
	if (n != 0)
		printf "TEXT(a_%s, \"%s\")\n", name, all
	if (np != 0)
		printf "TEXT(r_%s, \"result\\0\" \"errno%s\")\n", name, leave
	part[1] = n == 0 ? "none" : "a_" name
	part[2] = np == 0 ? "result" : "r_" name
	printf "CALL(%d, f_%s, %s, ", number, name, part[1]
	row(list, n, hash_text(entry, name))
	printf ", %s, ", part[2]
	row(back, 2 + np, hash_text(leaving, name))
	printf ", %d, { %s })\n", np, np == 0 ? 0 : paths
}

BEGIN {
	for (i = 1; i < 128; i++)
		code[sprintf("%c", i)] = i
	types["i32"] = 3
	types["i64"] = 4
	types["u32"] = 7
	types["u64"] = 8
	types["ptr"] = types["path"] = 13
	string = 14
	unknown = "arg0:u64 arg1:u64 arg2:u64 arg3:u64 arg4:u64 arg5:u64"
	group = hash_text(hash_text(2166136261, "syscall"), "")
	entry = hash_text(group, "entry")
	leaving = hash_text(group, "return")
}

$1 == "NUMBER" {
	if ($3 !~ /^[0-9]+$/)
		fail("no number: " $0)
	gsub(/"/, "", $2)
	names[$3 + 0] = $2
	next
}

{
	text = text $0
}

END {
	if (failed)
		exit 1
	while (match(text, /\{[^}]*\}/)) {
		n = split(substr(text, RSTART, RLENGTH), part, "\"")
		text = substr(text, RSTART + RLENGTH)
		arguments[part[2]] = ""
		for (i = 4; i <= n; i += 2)
			arguments[part[2]] = arguments[part[2]] part[i]
	}
	for (i = 0; i < 512; i++)
		if (i in names)
			call(i, names[i])
	printf "COMMON(%d, %.0fu, %.0fu)\n", nshapes, entry, leaving
}
