# SPDX-License-Identifier: BSD-2-Clause
#
# Commands of gdb(1) that print the records of a program with libtbuf, from a
# live process or a core.
#
#	tbuf bt [N]	the last N records (20), as tbuf_backtrace(3) prints them
#	tbuf probes	the program's probes, with a mark at those enabled
#
# gdb loads this file with the library if it is installed in its auto-load
# directory, or by `source`.  Numbers are those of libtbuf/layout/*.h.

import re
import struct

import gdb

MAGIC = b"tbuf\nctl"
MAJOR = 2
CONTROL_SIZE = 384
SLOTS, SLOT_SIZE, NSLOTS = 0x1000, 0x2000, 32
LANE_SIZE, NLANES_MAX = 256, 2048
PROBE_SIZE, NARGS = 64, 10
RECORD_MAX = 32768
RING = 2
COUNTER = 0
TEXT_CUT = 0x8000
IDS_OWN = 1024      # ids up to this are of tbufctl's own probes
NO_CPU = 0xffffffff
EPID_FAULT, EPID_ENVELOPE, EPID_UNIT = 0xffff, 0xfffd, 0xfffc
# Work units: their commit record, and their tables.
UNIT_RECORD = "=IIQQQiIII"
UNITS_SIZE, ENTRY_SIZE, TICKS_SIZE = 100480, 192, 256
UNITS_MAX, PAGE = 1024, 4096
KINDS, KINDS_AT, KIND_SIZE, KIND_NAME, NAME_SIZE = 32, 128, 3136, 32, 32
BOUND, ENDING, DONE = 2, 3, 4
SELECTED, GIVEN = 1, 1 << 32
NAMES_MAX, PIECES_MAX = 16, 256
# Slots whose lanes hold records: active, ending, given up, exited.
READABLE = (2, 3, 4, 6, 7)

# enum tbuf_type: the format of a value in a record
TYPES = {
    1: "b", 2: "h", 3: "i", 4: "q", 5: "B", 6: "H", 7: "I", 8: "Q",
    9: "b", 10: "?", 11: "f", 12: "d", 13: "P",
}
TEXTS = (14, 15)
BINARY, INTERNED = 16, 17


class Memory:
    """The inferior's control file, where it is mapped."""

    def __init__(self):
        self.inferior = gdb.selected_inferior()
        self.base = 0
        for start, name in mappings():
            self.name, self.base = name, start
            try:
                self.header = self.read(0, CONTROL_SIZE)
                window = self.u64(96)
                if self.header[:8] == MAGIC and self.reads(SLOTS, 8):
                    break
            except gdb.MemoryError:
                continue
        else:
            if self.base == 0:
                raise gdb.GdbError("no libtbuf is at work here")
            raise gdb.GdbError(
                "no memory of %s here: coredump_filter has no bit 3, or no "
                "session is kept (tbufctl --core looks for the file)"
                % self.name)
        if self.u16(12) != MAJOR:
            raise gdb.GdbError("libtbuf has another layout, %d" % self.u16(12))
        self.end = min(self.u64(248), window)

    def read(self, at, size):
        return bytes(self.inferior.read_memory(self.base + at, size))

    def reads(self, at, size):
        try:
            self.read(at, size)
            return True
        except gdb.MemoryError:
            return False

    def inside(self, at, size):
        return 0 <= at <= self.end and size <= self.end - at

    def get(self, form, at):
        return struct.unpack("=" + form, self.read(at, struct.calcsize(form)))[0]

    def u16(self, at):
        return self.get("H", at)

    def u32(self, at):
        return self.get("I", at)

    def u64(self, at):
        return self.get("Q", at)

    def text(self, at, most=256):
        """A string of the heap."""
        used = min(self.u32(228), self.u32(36))
        if at >= used:
            return "?"
        data = self.read(self.u32(48) + at, min(most, used - at))
        return data.split(b"\0")[0].decode("utf-8", "backslashreplace")


def mappings():
    """Where files that are called tbuf.PID.RANDOM begin; large ones first."""
    try:
        lines = gdb.execute("info proc mappings", to_string=True)
    except gdb.error as error:
        raise gdb.GdbError("no process, and no core: %s" % error)
    found = []
    for line in lines.splitlines():
        m = re.match(r"\s*0x([0-9a-f]+)\s+0x[0-9a-f]+\s+0x([0-9a-f]+)\s+"
                     r"0x0\s.*?(/\S*/tbuf\.\d+\.[0-9a-f]{16})", line)
        if m:
            found.append((-int(m[2], 16), int(m[1], 16), m[3]))
    return [(start, name) for _, start, name in sorted(found)]


class Probe:
    def __init__(self, memory, index):
        entry = memory.read(memory.u32(44) + index * PROBE_SIZE, PROBE_SIZE)
        self.ready, self.sites, *names, argnames = struct.unpack(
            "=7I", entry[:28])
        self.names = [memory.text(at) for at in names]
        self.nargs = min(entry[32], NARGS)
        self.types = entry[33:33 + NARGS]
        self.selection, = struct.unpack_from("=I", entry, 48)
        self.args = []
        for _ in range(self.nargs):
            name = memory.text(argnames)
            self.args.append(name)
            argnames += len(name.encode()) + 1


class Data:
    """A record's data, from the beginning on."""

    def __init__(self, data, memory):
        self.data, self.at, self.memory = data, 0, memory

    def take(self, align, size):
        at = (self.at + align - 1) & -align
        if size > len(self.data) - at:
            raise ValueError
        self.at = at + size
        return self.data[at:at + size]

    def value(self, kind, bound=False):
        if kind == INTERNED and not bound:
            at = struct.unpack("=I", self.take(4, 4))[0]
            known = 0 < at < self.memory.u32(228)
            return quoted(self.memory.text(at).encode()) if known else "NULL"
        if kind in TEXTS or kind in (BINARY, INTERNED):
            word = struct.unpack("=H", self.take(2, 2))[0]
            data = self.take(1, word & ~TEXT_CUT)
            if word == TEXT_CUT:
                return "NULL"
            more = "..." if word & TEXT_CUT else ""
            if kind == BINARY:
                return "hex:" + data.hex() + more
            return quoted(data) + more
        if kind not in TYPES:
            raise ValueError
        size = struct.calcsize(TYPES[kind])
        data = self.take(8 if bound else size, 8 if bound else size)
        value = struct.unpack("=" + TYPES[kind].replace("P", "Q"),
                              data[:size])[0]
        if kind == 10:
            return "true" if value else "false"
        if kind == 11:
            return shortest(value)
        return hex(value) if kind == 13 else repr(value).removesuffix(".0")


def shortest(value):
    """A float of 32 bits: its shortest decimal, not that of the double."""
    for digits in range(1, 10):
        text = "%.*g" % (digits, value)
        if struct.pack("=f", float(text)) == struct.pack("=f", value):
            break
    return text


def quoted(data):
    letters = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}
    text = ""
    for c in data.decode("utf-8", "surrogateescape"):
        if c in letters:
            text += letters[c]
        elif "\udc80" <= c <= "\udcff":
            text += "\\x%02x" % (ord(c) - 0xdc00)
        else:
            text += c if c.isprintable() else "\\x%02x" % ord(c)
    return '"' + text + '"'


class Unit:
    """A table's entry."""

    def __init__(self, memory, at):
        (word, _, *halves, self.head, self.began, self.id, self.kind,
         self.thread, self.inside, ended) = struct.unpack(
             "=13Q", memory.read(at, 104))
        self.state, self.generation = word & 7, word >> 43
        self.instance = word >> 3 & 0xffffffffff
        self.mask = ended & 0xffffffff
        self.laps, self.bytes = self.head >> 48, 8 * (self.head & 0xffffff)
        self.older = halves[0 if self.laps & 1 else 2]
        self.records = self.head >> 24 & 0xffffff
        if self.laps != 0:
            self.records += self.older >> 24 & 0xffffff


def unit_line(data):
    """What a work unit has left, an envelope or a mark."""
    size = struct.calcsize(UNIT_RECORD)
    if len(data) < size:
        return "a work unit"
    _, _, _, number, _, outcome, _, count, _ = struct.unpack_from(
        UNIT_RECORD, data)
    return "a work unit: id=%d outcome=%d records=%d" % (
        number, outcome, count)


class Session:
    def __init__(self, memory, number):
        self.memory = memory
        self.slot = SLOTS + number * SLOT_SIZE
        self.ecb_max = memory.u32(self.slot + 32)
        self.ecbs = memory.u64(self.slot + 24)
        self.clauses = memory.u64(self.slot + 160)
        self.texts = memory.u64(self.slot + 2064)
        self.policy = memory.u32(self.slot + 88)
        self.probes = {}
        area = memory.u64(self.slot + 8)
        go, now = ((memory.u64(area + at), memory.u64(area + at + 8))
                   for at in (24, 48))
        self.tables()
        self.rate = None
        if memory.u32(56) != COUNTER:
            self.rate = 1.0
        elif now[0] > go[0] and now[1] > go[1]:
            self.rate = (now[1] - go[1]) / (now[0] - go[0])

    def tables(self):
        """Where the tables of work units are, and which are in flight."""
        memory, flags = self.memory, self.memory.u64(self.slot + 72)
        self.units = memory.u64(self.slot + 2160)
        self.ntables, self.size = flags >> 16 & 0xfff, 1 << (flags >> 48 & 63)
        self.wraps = bool(flags & 16)
        self.generation = memory.u64(self.slot) & 0x1fffff
        room = UNITS_SIZE + self.ntables * (ENTRY_SIZE + TICKS_SIZE)
        self.first = self.units + (room + PAGE - 1) // PAGE * PAGE
        if (self.units == 0 or not 1 << 10 <= self.size <= 1 << 26
                or self.ntables > UNITS_MAX
                or not memory.inside(self.first, self.ntables * self.size)):
            self.ntables = 0
        entries = (Unit(memory, self.units + UNITS_SIZE + i * ENTRY_SIZE)
                   for i in range(self.ntables))
        self.entries = list(entries)
        self.flying = {i: u for i, u in enumerate(self.entries)
                       if u.generation == self.generation
                       and u.state in (BOUND, ENDING)}

    def kind(self, kind):
        if kind >= KINDS - 1:
            return "(other)"
        at = self.units + KINDS_AT + kind * KIND_SIZE + KIND_NAME
        name = self.memory.read(at, NAME_SIZE).split(b"\0")[0]
        return name.decode("utf-8", "backslashreplace")

    def selection(self, epid):
        """The mask of an enabling, or of its probe."""
        memory, area = self.memory, self.memory.u64(self.slot + 8)
        probe, at = self.probe(epid), memory.u64(area + 88)
        if probe is None:
            return SELECTED
        enabling = memory.u16(self.ecbs + 8 * epid + 4)
        if (at != 0 and enabling < memory.u32(area + 20)
                and memory.inside(at + 8 * enabling, 8)):
            mask = memory.u64(at + 8 * enabling)
            if mask & GIVEN:
                return mask & 0xffffffff
        return probe.selection or SELECTED

    def copied(self, stream, unit, mask=None):
        """Records of a unit, as a lock lane has them."""
        at = 0
        while at + 24 <= len(stream):
            time, epid, size, tid, cpu = struct.unpack_from(
                "=QHHII", stream, at)
            if size < 24 or size % 8 or size > len(stream) - at:
                return
            if mask is None or self.selection(epid) & mask:
                yield time, cpu, tid, self, epid, stream[at + 24:at + size], \
                    unit
            at += size

    def table(self, index, mask):
        unit, at = self.entries[index], self.first + index * self.size
        half = self.size // 2 if self.wraps else self.size
        odd = self.wraps and unit.laps & 1
        if self.wraps and unit.laps != 0:
            older = min(8 * (unit.older & 0xffffff), half)
            yield from self.copied(self.memory.read(
                at + (0 if odd else half), older), unit.id, mask)
        yield from self.copied(self.memory.read(
            at + (half if odd else 0), min(unit.bytes, half)), unit.id, mask)

    def ended(self, epid, data):
        """What an envelope or a mark stands for."""
        size = struct.calcsize(UNIT_RECORD)
        if len(data) < size:
            return
        table, _, instance, number, _, _, mask, _, _ = struct.unpack_from(
            UNIT_RECORD, data)
        if table >= self.ntables:
            return
        unit = self.entries[table]
        if table in self.flying and unit.instance == instance:
            return
        if epid == EPID_ENVELOPE:
            yield from self.copied(data[size:], number)
        elif (unit.generation, unit.instance, unit.state) == (
                self.generation, instance, DONE):
            yield from self.table(table, mask)

    def records(self):
        memory = self.memory
        for i, unit in self.flying.items():
            yield from self.table(
                i, 0xffffffff if unit.state == BOUND else unit.mask)
        lanes, n = memory.u64(self.slot + 48), memory.u32(self.slot + 56)
        for i in range(min(n, NLANES_MAX)):
            at = lanes + i * LANE_SIZE
            if memory.inside(at, LANE_SIZE):
                yield from self.lane(memory.read(at, LANE_SIZE))

    def lane(self, lane):
        head, = struct.unpack_from("=Q", lane, 0)
        sequence, = struct.unpack_from("=Q", lane, 24)
        tail, = struct.unpack_from(
            "=Q", lane, 32 + 16 * (sequence & 1) if self.policy == RING
            else 128)
        place, _, cpu, kind = struct.unpack_from("=QQII", lane, 192)
        storage, data = 1 << (place & 63), place & ~63
        if (tail > head or head - tail > storage or head == tail
                or not self.memory.inside(data, storage)):
            return
        ring = self.memory.read(data, storage)
        first = tail & (storage - 1)
        stream = (ring[first:] + ring[:first])[:head - tail]
        at, least = 0, 24 if kind == 1 else 16
        while at + 16 <= len(stream):
            time, epid, size, tid = struct.unpack_from("=QHHI", stream, at)
            if size < least or size % 8 or size > len(stream) - at:
                return
            if kind == 1:
                cpu, = struct.unpack_from("=I", stream, at + 16)
            data = stream[at + least:at + size]
            yield time, cpu, tid, self, epid, data, None
            if epid in (EPID_ENVELOPE, EPID_UNIT):
                yield from self.ended(epid, data)
            at += size

    def since(self, ticks):
        return ("%.9f" % (ticks * self.rate / 1e9) if self.rate is not None
                else "%d ticks" % ticks)

    def probe(self, epid):
        if epid not in self.probes:
            index = None
            at = self.ecbs + 8 * epid
            if epid < self.ecb_max and self.memory.inside(at, 8):
                index = self.memory.u32(at)
            known = index is not None and index < self.memory.u32(32)
            self.probes[epid] = Probe(self.memory, index) if known else None
        return self.probes[epid]

    def clause(self, epid):
        """Where the text of a clause's record is, and the names' binding."""
        at = self.clauses + 16 * epid
        if self.clauses == 0 or not self.memory.inside(at, 16):
            return 0, 0
        _, text, binding = struct.unpack("=IIQ", self.memory.read(at, 16))
        return 8 * text, binding

    def pieces(self, text, binding, probe, data):
        memory, at = self.memory, self.texts + text
        count = memory.u16(at + 4) if memory.inside(at, 8) else 0
        for i in range(min(count, PIECES_MAX)):
            kind, name, elements = struct.unpack(
                "=BBH", memory.read(at + 8 + 8 * i, 4))
            argument = name - NAMES_MAX
            if kind == 0 and 0 <= argument < NARGS:
                # Only record() records arguments by their numbers.
                if argument >= probe.nargs:
                    data.take(8, 8)
                    continue
                yield "%s=%s" % (probe.args[argument], data.value(
                    probe.types[argument], True))
            elif kind != 0 and elements != 0:
                size = struct.calcsize(TYPES[kind])
                yield "hex:" + data.take(size, size * elements).hex()
            elif kind != 0:
                yield data.value(kind)
            else:
                number = (binding >> 4 * name & 15 if name < NAMES_MAX
                          else argument)
                kind = probe.types[number] if number < probe.nargs else 4
                yield data.value(kind, True)

    def line(self, epid, data):
        if self.clauses != 0 and epid == EPID_FAULT:
            return "a clause failed"
        if epid in (EPID_ENVELOPE, EPID_UNIT):
            return unit_line(data)
        probe = self.probe(epid)
        if probe is None:
            return "?"
        text, binding = self.clause(epid)
        line, data = ":".join(probe.names), Data(data, self.memory)
        try:
            if text != 0:
                for value in self.pieces(text, binding, probe, data):
                    line += " " + value
            else:
                for name, kind in zip(probe.args, probe.types):
                    line += " %s=%s" % (name, data.value(kind))
        except (ValueError, KeyError, struct.error):
            line += " (damaged)"
        return line


def number(argument, default):
    if argument == "":
        return default
    if not argument.isdigit() or int(argument) == 0:
        raise gdb.GdbError("not a number of records: %s" % argument)
    return int(argument)


def backtrace(count):
    memory = Memory()
    records = []
    sessions = [Session(memory, i) for i in range(NSLOTS)
                if memory.u32(256 + 4 * i) in READABLE]
    for session in sessions:
        records.extend(session.records())
    records.sort(key=lambda r: r[0])
    comm = memory.header[160:208].split(b"\0")[0].decode(errors="replace")
    if any(r[3].rate is None for r in records[-count:]):
        print("Times in ticks are the processor's: their session has no "
              "second calibration point.")
    print("tbuf: last %d of %d records of %s, pid %d"
          % (min(count, len(records)), len(records), comm, memory.u32(68)))
    latest = records[-1][0] if records else None
    for session in sessions:
        for unit in session.flying.values():
            print("tbuf: running%s: %s %d, tid %d%s, %d record%s"
                  % ("" if latest is None or unit.began > latest else
                     " for " + session.since(latest - unit.began),
                     session.kind(unit.kind), unit.id, unit.thread,
                     "" if unit.inside else " (no thread in it)", unit.records,
                     "" if unit.records == 1 else "s"))
    for time, cpu, tid, session, epid, data, unit in records[-count:]:
        print("-%s cpu %s tid %d%s %s"
              % (session.since(latest - time), "?" if cpu == NO_CPU else cpu,
                 tid, "" if unit is None else " unit %d" % unit,
                 session.line(epid, data)))


def probes():
    memory = Memory()
    print("   ID   PROVIDER            MODULE                          "
          "FUNCTION NAME")
    for i in range(min(memory.u32(224), memory.u32(32))):
        probe = Probe(memory, i)
        if probe.ready == 0 or probe.sites == 0:
            continue
        bits = memory.u32(memory.u32(40) + 4 * i)
        print("%5d %10s %17s %33s %s%s"
              % (IDS_OWN + i + 1, *probe.names, " (enabled)" if bits else ""))


class TbufCommand(gdb.Command):
    """What a program with libtbuf records: tbuf bt [N], tbuf probes."""

    def __init__(self):
        super().__init__("tbuf", gdb.COMMAND_DATA, gdb.COMPLETE_NONE, True)


class TbufBacktrace(gdb.Command):
    """tbuf bt [N]: print the last N records (20), the oldest first.
Seconds in front are those before the last one."""

    def __init__(self):
        super().__init__("tbuf bt", gdb.COMMAND_DATA)

    def invoke(self, argument, from_tty):
        backtrace(number(argument.strip(), 20))


class TbufProbes(gdb.Command):
    """tbuf probes: list the program's probes."""

    def __init__(self):
        super().__init__("tbuf probes", gdb.COMMAND_DATA)

    def invoke(self, argument, from_tty):
        if argument.strip() != "":
            raise gdb.GdbError("tbuf probes takes no argument")
        probes()


TbufCommand()
TbufBacktrace()
TbufProbes()
