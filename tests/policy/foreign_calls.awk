# SPDX-License-Identifier: BSD-2-Clause
#
# Walks the calls of shared objects, and prints each path to a function of
# another library:
#
#	awk -f foreign_calls.awk TABLE LISTING ...
#
# A listing is the output of readelf -dsrW and objdump -d for one object; its
# name is the object's.  The lines of the table are
#
#	entry FUNCTION ...	the walk begins in these
#	cut [FILE:]FUNCTION	it does not go on in this one; a static one is
#				of the file
#	allow FUNCTION		may be called, though of another library
#	data NAME		is a variable of another library
#	side NAME		a file, function or variable of the code that
#				is walked
#
# The walk follows calls and jumps, also those by the PLT and the GOT.  A
# function counts as called where its address is taken, and so do all functions
# in a constant table that is referred to.  A call by a pointer may call any
# function whose address is taken on the side.  A node of the graph is
# "OBJECT ADDRESS" of a function, "OBJECT vNUMBER" of a variable, or "name NAME"
# of a symbol.

function hex(digits,	i, n) {
	if (digits in number)
		return number[digits]
	for (i = 1; i <= length(digits); i++)
		n = n * 16 + index("123456789abcdef", substr(digits, i, 1))
	return number[digits] = n
}

# Returns a number as objdump prints addresses.
function digits_of(n,	s, r) {
	for (s = ""; n >= 1; n = (n - r) / 16) {
		r = n % 16
		s = substr("0123456789abcdef", r + 1, 1) s
	}
	return s
}

# Removes leading zeroes.
function plain(digits) {
	sub(/^(0x)?0*/, "", digits)
	return digits
}

function fault(text) {
	print text
	faults++
}

# Returns the variable that has this address, or "".
function variable(address,	n, low, high, middle) {
	n = hex(address)
	low = 0
	high = nvariables[object] + 1
	while (high - low > 1) {
		middle = int((low + high) / 2)
		if (start_of[object, middle] <= n)
			low = middle
		else
			high = middle
	}
	return low > 0 && n < end_of[object, low] ? object " v" low : ""
}

function edge(from, to) {
	if (to != "" && from != to && !((from, to) in known)) {
		known[from, to] = 1
		to_of[from, ++nto[from]] = to
	}
}

# Adds the edge of a reference to an address.
function refer(from, address,	i, to) {
	for (i = 0; (object, address) in own_word && i < 3; i++)
		address = own_word[object, address]
	if ((object, address) in word) {
		edge(from, "name " word[object, address])
		return
	}
	if (!((object, address) in function_at)) {
		edge(from, variable(address))
		return
	}
	to = object " " address
	edge(from, to)
	if (from in of_side && !(to in is_taken)) {
		is_taken[to] = 1
		taken[++ntaken] = to
	}
}

FNR == 1 {
	if (++nfiles > 1) {
		object = FILENAME
		sub(/.*\//, "", object)
	}
	part = ""
}

# ----------------------------------------------------------------- the table

nfiles == 1 {
	sub(/#.*/, "")
	for (i = 2; i <= NF; i++)
		if ($1 == "entry")
			entries[++nentries] = $i
		else if ($1 == "cut")
			cut[$i] = 1
		else if ($1 == "allow")
			allowed[$i] = 1
		else if ($1 == "data")
			is_data[$i] = 1
		else if ($1 == "side")
			side[$i] = 1
		else
			fault("bad line: " $0)
	next
}

# ------------------------------------------- symbols, and words of the loader

/^Dynamic section/	{ part = "dynamic" }
/^Relocation section/	{ part = "relocations" }
/^Symbol table/		{ part = $3 ~ /dynsym/ ? "dynsym" : "symbols" }
/^Disassembly of section/ {
	if (part != "text")
		end_of_symbols()
	part = "text"
	is_plt = /\.plt/
	next
}
part == "dynamic" && /BIND_NOW|Flags:.* NOW/ { bound[object] = 1 }
part == "relocations" && $3 ~ /RELATIVE/ {
	relative[++nrelative] = plain($1) " " plain($NF)
}
part == "relocations" && $3 ~ /GLOB_DAT|JUMP_SLO|_64$|ABS64/ && NF >= 5 {
	name = $5
	sub(/@.*/, "", name)
	word[object, plain($1)] = name
}
(part == "dynsym" || part == "symbols") && $1 ~ /^[0-9]+:$/ {
	name = $8
	sub(/@.*/, "", name)
	node = object " " plain($2)
	if ($4 == "FILE")
		file = name
	is_side = name in side && (file == "" || file in side)
	if ($4 == "OBJECT" && ($7 == "UND" || part == "dynsym"))
		is_data[name] = 1
	else if ($7 == "UND")
		next
	else if (part == "dynsym" && $4 == "FUNC")
		exported[name] = node
	else if ($4 == "OBJECT" && $3 != 0)
		unsorted[++nunsorted] = plain($2) " " $3 " " name " " is_side
	else if ($4 == "FUNC") {
		function_at[object, plain($2)] = 1
		defined[name, ++ndefined[name]] = node
		name_of[node] = name
		file_of[node] = file == "" ? name : file ":" name
		if (is_side)
			of_side[node] = 1
	}
}

# Sorts the variables by their addresses, and adds the edges of their pointers.
function end_of_symbols(	i, j, gap, n, line, fields, node) {
	n = nvariables[object] = nunsorted
	for (i = 1; i <= n; i++) {
		split(unsorted[i], fields, " ")
		at[i] = hex(fields[1])
	}
	for (gap = int(n / 2); gap > 0; gap = int(gap / 2))
		for (i = gap + 1; i <= n; i++)
			for (j = i - gap; j > 0 && at[j] > at[j + gap];
			    j -= gap) {
				line = at[j]
				at[j] = at[j + gap]
				at[j + gap] = line
				line = unsorted[j]
				unsorted[j] = unsorted[j + gap]
				unsorted[j + gap] = line
			}
	for (i = 1; i <= n; i++) {
		split(unsorted[i], fields, " ")
		node = object " v" i
		start_of[object, i] = at[i]
		end_of[object, i] = at[i] + value(fields[2])
		name_of[node] = fields[3]
		if (fields[4])
			of_side[node] = 1
	}
	for (i = 1; i <= nrelative; i++) {
		split(relative[i], fields, " ")
		if ((node = variable(fields[1])) != "")
			refer(node, fields[2])
		else
			own_word[object, fields[1]] = fields[2]
	}
	nrelative = nunsorted = 0
	file = ""
}

# -------------------------------------------------------------- instructions

part != "text" { next }

# "ADDRESS <NAME>:" begins a function.
/^[0-9a-f]+ <.*>:$/ {
	address = plain($1)
	name = $2
	gsub(/[<>:]/, "", name)
	before = here
	here = object " " address
	if (falls && !is_plt)
		edge(before, here)
	falls = 0
	if (is_plt) {
		sub(/@plt.*/, "", name)
		plt[here] = name
	} else if (!(here in name_of))
		name_of[here] = name
	function_at[object, address] = 1
	split("", page)
	next
}
!/^ *[0-9a-f]+:\t/ { next }
{
	address = $1
	sub(/:$/, "", address)
	body[object, address] = here
	line = $0
	sub(/^[^\t]*\t/, "", line)
	while (sub(/^(notrack|bnd|lock|repn?z?|addr32|data16|cs|ds) +/, "",
	    line))
		continue
	op = line
	sub(/[ \t].*/, "", op)
	operands = substr(line, length(op) + 1)
	sub(/^[ \t]*/, "", operands)
	if (op !~ /^(nop|xchg|int3)/)
		falls = op !~ /^(ret|jmp|ud2|hlt|b|br|call|bl|udf|brk)$/
	if (op ~ /^(call|j[a-z]+|bl|b|b\.[a-z]+|cbn?z|tbn?z)$/ &&
	    match(operands, /(^|, *)(0x)?[0-9a-f]+ <[^>]*>$/)) {
		target = substr(operands, RSTART, RLENGTH)
		sub(/^, */, "", target)
		sub(/ .*/, "", target)
		jumps[++njumps] = here " " plain(target)
	} else if (op ~ /^(call|jmp)$/ && operands ~ /^\*/ || op ~ /^blr?$/ ||
	    op == "br")
		by_pointer[here] = 1
	if (match(operands, /# (0x)?[0-9a-f]+( <|$)/)) {
		target = substr(operands, RSTART + 2, RLENGTH - 2)
		sub(/ .*/, "", target)
		refers[++nrefers] = here " " plain(target)
	}
	address_of_aarch64()
}

# An address is that of a page in a register, and an offset.  An instruction
# that changes the register ends that, and a call changes the first 19.
function address_of_aarch64(	parts, target, i) {
	split(operands, parts, /,? +/)
	if (op == "adr")
		refers[++nrefers] = here " " plain(parts[2])
	else if (op ~ /^(add|ldr|ldrb|ldrsw|str|ldp)$/ &&
	    match(operands, /x[0-9]+, #(0x)?[0-9a-f]+/)) {
		target = substr(operands, RSTART, RLENGTH)
		i = index(target, ", #")
		if (substr(target, 1, i - 1) in page)
			refers[++nrefers] = here " " \
			    digits_of(page[substr(target, 1, i - 1)] + \
			    value(substr(target, i + 3)))
	}
	if (op == "adrp")
		page[parts[1]] = hex(plain(parts[2]))
	else if (op !~ /^(st|cmp|cmn|tst|cb|tb|b)/) {
		delete page["x" substr(parts[1], 2)]
		if (op == "ldp")
			delete page["x" substr(parts[2], 2)]
	} else if (op ~ /^blr?$/)
		for (i = 0; i < 19; i++)
			delete page["x" i]
}

function value(digits) {
	return digits ~ /^0x/ ? hex(plain(digits)) : digits + 0
}

# ------------------------------------------------------------------- the walk

# Adds the edges of all instructions.
function resolve(	i, fields, to) {
	for (i = 1; i <= njumps; i++) {
		split(jumps[i], fields, " ")
		object = fields[1]
		if (!((object, fields[3]) in body))
			continue
		to = body[object, fields[3]]
		if (!(to in plt))
			edge(object " " fields[2], to)
		else {
			edge(object " " fields[2], "name " plt[to])
			if (!(object in bound))
				late[object " " fields[2]] = plt[to]
		}
	}
	for (i = 1; i <= nrefers; i++) {
		split(refers[i], fields, " ")
		object = fields[1]
		refer(object " " fields[2], fields[3])
	}
}

function path_to(node,	s) {
	for (s = name_of[node]; parent[node] != ""; s = name_of[node] " > " s)
		node = parent[node]
	return s
}

function reach(node, from) {
	if (!(node in parent)) {
		parent[node] = from
		queue[++nqueue] = node
	}
}

function call(name, from) {
	if (name in exported)
		reach(exported[name], from)
	else if (name in allowed)
		allowed[name] = 2
	else if (!(name in is_data))
		fault(path_to(from) " > " name)
}

function visit(node,	i) {
	if (node in file_of && file_of[node] in cut) {
		cut[file_of[node]] = 2
		return
	}
	nvisited++
	if (node in late)
		fault(path_to(node) " > " late[node] ", which is bound late")
	for (i = 1; i <= nto[node]; i++)
		if (to_of[node, i] ~ /^name /)
			call(substr(to_of[node, i], 6), node)
		else
			reach(to_of[node, i], node)
	if (node in by_pointer)
		for (; ntaken > 0; ntaken--)
			reach(taken[ntaken], node)
}

END {
	resolve()
	for (i = 1; i <= nentries; i++) {
		if (!(entries[i] in ndefined))
			fault(entries[i] ": no such function")
		for (j = 1; j <= ndefined[entries[i]]; j++)
			reach(defined[entries[i], j], "")
	}
	for (i = 1; i <= nqueue; i++)
		visit(queue[i])
	for (name in cut)
		if (cut[name] != 2)
			fault(name ": not reached")
	for (name in allowed)
		if (allowed[name] != 2)
			fault(name ": not called")
	printf "%d functions and variables, %d faults\n", nvisited, faults
	exit faults != 0
}
