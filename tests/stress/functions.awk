# SPDX-License-Identifier: BSD-2-Clause
#
# Reads, in this order, PART=parts (START END of each part of the text that
# unwinders know, in hexadecimal), PART=names (START NAME of each function) and
# PART=code (objdump -d), and writes, for gdb, the addresses of all entries and
# of all returns: ADDRESS NAME entry|return.  A part that is no function, and
# into which one function alone jumps, belongs to that function.  A function with
# a computed jump, whose meaning is not known, has no returns here.
#
# If it reads PART=frames next (KIND OFFSET COUNT, of frames in stacks), it
# writes the functions of these instead: KIND NAME COUNT.  MOVED is by how much
# their addresses are above these offsets.
#
# mawk has no strtonum(), and its numbers are exact up to 2^53.

function value(hex,	i, n)
{
	n = 0
	for (i = 1; i <= length(hex); i++)
		n = n * 16 + index("0123456789abcdef", substr(hex, i, 1)) - 1
	return (n)
}

# The part that has an address, or 0.
function part_of(at,	low, high, middle)
{
	low = 1
	high = nparts
	while (low < high) {
		middle = int((low + high + 1) / 2)
		if (start[middle] <= at)
			low = middle
		else
			high = middle - 1
	}
	return (nparts > 0 && start[low] <= at && at < end[low] ? low : 0)
}

# The function that a part is or belongs to, or 0.
function owner(part)
{
	if (part == 0 || part in name)
		return (part)
	return (part in from && from[part] > 0 ? from[part] : 0)
}

# Notes a jump from a function into a part: -1 if there are several functions.
function reached(part, function_part)
{
	if (part in name)
		return
	if (!(part in from))
		from[part] = function_part
	else if (from[part] != function_part)
		from[part] = -1
}

PART == "parts" {
	start[++nparts] = value($1)
	end[nparts] = value($2)
	next
}
PART == "names" {
	part = part_of(value($1))
	if (part > 0 && start[part] == value($1))
		name[part] = $2
	next
}
PART == "frames" {
	# It is the address after a call, or the function that begins a thread.
	frame[++nframes] = part_of(MOVED + value($2) - ($1 != "thread"))
	kind[nframes] = $1
	times[nframes] = $3
	next
}
/^ +[0-9a-f]+:\t/ {
	at = $1
	sub(/:$/, "", at)
	i = 2
	while ($i ~ /^(repz|bnd|notrack|data16|cs)$/)
		i++
	if ($i !~ /^(ret|j[a-z]+)/ || (part = part_of(value(at))) == 0)
		next
	target = $i ~ /^ret/ ? -1 : $(i + 1) ~ /^\*/ ? -2 : value($(i + 1))
	other = target >= 0 ? part_of(target) : 0
	if (other > 0 && other != part && part in name)
		reached(other, part)
	if ($i !~ /^(ret|jmp)/)
		next
	n++
	where[n] = at
	of[n] = part
	to[n] = target
}
END {
	for (i = 1; i <= nframes; i++)
		if ((part = owner(frame[i])) > 0)
			sums[kind[i] " " name[part]] += times[i]
	for (key in sums)
		print key, sums[key]
	if (PART == "frames")
		exit
	for (part in name)
		printf("%x %s entry\n", start[part], name[part])
	for (i = 1; i <= n; i++)
		if (to[i] == -2 && owner(of[i]) > 0)
			computed[owner(of[i])] = 1
	for (i = 1; i <= n; i++) {
		part = owner(of[i])
		if (part == 0 || part in computed)
			continue
		if (to[i] == -1 || owner(part_of(to[i])) != part)
			printf("%s %s return\n", where[i], name[part])
	}
	for (part in computed)
		printf("- %s return\n", name[part])
}
