// SPDX-License-Identifier: BSD-2-Clause
//
// The page of tbufctl --report.  report.h describes the data.  Texts of
// programs are shown as textContent or on the canvas, never as HTML.
//
// shorten.awk makes these names short:
//	track lane time view from row GUTTER colours heading text rows lasts
//	next dragged extent column shape table cls step canvas classes depth
//	end found instant matches bytes element lanes group low scale selected
//	LANE addRow duration entry flags meta middle texts tracks clip commas
//	list timeline INSTANT byte read shapes visible wanted AXIS best
//	invalidate paint select shown zoom density losses lower parts show tip
//	was button colour counts endShape groups high lengths number order
//	sorted unit MOST_ROWS array bars byProcess escape matching place write
//	xOf buckets half longest most moved nextMatch right sums timeOf varint
//	FONT digits endRow known least part plain ratio showAll showSlices tile
//	INCOMPLETE TITLE argumentsOf draw entryAt exact inText pending process
//	range rowAt search span test COLOURS LACKS THREAD UNITS addRecord arrow
//	binary choose chosen date escapeAll first holder isMatch label marked
//	more near programs readColours resize reveal room seen sentence skip
//	stepRow stripes swatch timer times titles toggleKeys tools trackTitle
//	unitOf wallTime where COLUMNS SPECIAL across bottom columnTest decimals
//	decodeBase64 drawAxis drawGutter drawHeading drawInstants drawLane
//	drawOverview drawSelected drawSlice drawTrack filled float32 floating
//	here inflate isText listen lowered makeDensity makeGroups makeLanes
//	makeRows matchRows measureGroups named outline rank readColumn readData
//	readTrack reader scrolls showLosses showRecords showSummary showTip
//	slices sortBy valueText
'use strict';
(() => {
const $ = id => document.getElementById(id);
const canvas = $('canvas'), timeline = $('timeline');
const { abs, ceil, exp, floor, fround, log10, log2, max, min, round, sqrt } =
	Math;
const INSTANT = 1, INCOMPLETE = 2;
const THREAD = 0;
const COLOURS = 8;

// ---------------------------------------------------------------- the data

let meta, texts, shapes, classes, tracks = [], losses = [], groups = [];
// The end of the trace, ns after its base.
let end = 1;

function decodeBase64(text) {
	const binary = atob(text), bytes = new Uint8Array(binary.length);
	for (let i = 0; i < bytes.length; i++)
		bytes[i] = binary.charCodeAt(i);
	return bytes;
}

async function inflate(bytes) {
	const stream = new Blob([bytes]).stream()
		.pipeThrough(new DecompressionStream('deflate-raw'));
	return new Uint8Array(await new Response(stream).arrayBuffer());
}

// Reads varints from a place on.
function reader(bytes, at) {
	const varint = () => {
		let byte = bytes[at++];
		if (byte < 128)
			return byte;
		let n = byte & 127, scale = 128;
		do {
			byte = bytes[at++];
			n += (byte & 127) * scale;
			scale *= 128;
		} while (byte > 127);
		return n;
	};
	const big = () => {
		let n = 0n, shift = 0n, byte;
		do {
			byte = bytes[at++];
			n |= BigInt(byte & 127) << shift;
			shift += 7n;
		} while (byte > 127);
		return n;
	};
	const skip = n => {
		at += n;
		return at - n;
	};
	return { varint, big, skip };
}

function readTrack(read, track) {
	const n = track.n;
	track.time = new Float64Array(n);
	track.cls = new Uint32Array(n);
	track.lasts = new Float64Array(n);
	track.row = new Uint32Array(n);
	track.endRow = new Uint32Array(n);
	for (let i = 0, time = 0; i < n; i++)
		track.time[i] = time += read.varint();
	for (let i = 0; i < n; i++)
		track.cls[i] = read.varint();
	for (let i = 0; i < n; i++) {
		const c = classes[track.cls[i]];
		if (!(c.flags & INSTANT))
			track.lasts[i] = read.varint();
		if (c.shape >= 0)
			track.row[i] = shapes[c.shape].next++;
		if (c.endShape >= 0)
			track.endRow[i] = shapes[c.endShape].next++;
		c.count++;
		end = max(end, track.time[i] + track.lasts[i]);
	}
}

// Makes a function of a row's number that returns the value.
function readColumn(read, column, rows, bytes) {
	const floating = column.type === 'f' || column.type === 'd';
	if (column.same !== undefined) {
		const same = BigInt(column.same), plain = Number(same);
		return () => BigInt(plain) === same ? plain : same;
	}
	const values = column.wide ? column.type === 'i' ?
		new BigInt64Array(rows) : new BigUint64Array(rows) :
		new Float64Array(rows);
	if (floating) {
		const view = new DataView(bytes.buffer);
		for (let i = 0; i < rows; i++)
			values[i] = view.getFloat64(read.skip(8), true);
	} else if (column.wide) {
		for (let i = 0, n = 0n; i < rows; i++) {
			const d = read.big();
			n += d & 1n ? -(d >> 1n) - 1n : d >> 1n;
			values[i] = n = BigInt.asUintN(64, n);
		}
	} else {
		for (let i = 0, n = 0; i < rows; i++) {
			const d = read.varint();
			values[i] = n += d % 2 ? -(d + 1) / 2 : d / 2;
		}
	}
	return i => values[i];
}

function readData(bytes) {
	const size = new DataView(bytes.buffer).getUint32(0, true);
	meta = JSON.parse(new TextDecoder().decode(
		bytes.subarray(4, 4 + size)));
	texts = meta['texts'];
	shapes = meta['shapes'];
	shapes.forEach(s => s.next = 0);
	classes = meta['classes'].map(c => ({ name: texts[c[0]],
		category: texts[c[1]], shape: c[2], endShape: c[3],
		depth: c[4], flags: c[5], count: 0 }));
	const read = reader(bytes, 4 + size);
	tracks = meta['tracks'];
	tracks.forEach(t => readTrack(read, t));
	for (const s of shapes)
		for (const c of s.columns) {
			c.value = readColumn(read, c, s['rows'], bytes);
			c.name = texts[c.name];
		}
	const base = BigInt(meta.base);
	losses = meta['losses'].map(l => ({ ...l, name: texts[l.name],
		known: l.after !== '0' || l.before !== '0',
		from: l.after === '0' ? 0 : Number(BigInt(l.after) - base),
		to: l.before === '0' ? Infinity :
			Number(BigInt(l.before) - base) }));
}

// Gives each name of slices or of instants a number, the most frequent first.
function makeGroups() {
	const found = new Map();
	for (const c of classes) {
		const instant = c.flags & INSTANT;
		const key = JSON.stringify([c.name, c.category, instant]);
		if (!found.has(key))
			found.set(key, { name: c.name, category: c.category,
				instant, count: 0, total: 0, lengths: null });
		c.group = found.get(key);
		c.group.count += c.count;
	}
	groups = [...found.values()].filter(g => g.count > 0)
		.sort((a, b) => a.instant - b.instant || b.count - a.count);
	groups.forEach((g, i) => g.colour = i % COLOURS);
}

// ---------------------------------------------------------------- lanes

// A lane has the slices of one depth of a track, or its instants: they do not
// overlap, and are sorted.  sums has the time and the matches before each.
function makeLanes(track) {
	const counts = new Map(), lanes = new Map();
	for (const i of track.cls) {
		const c = classes[i], key = 2 * c.depth + (c.flags & INSTANT);
		counts.set(key, (counts.get(key) || 0) + 1);
	}
	for (const [key, n] of counts)
		lanes.set(key, { track, depth: key >> 1, instant: key & 1,
			n: 0, entry: new Uint32Array(n),
			time: new Float64Array(n), lasts: new Float64Array(n),
			sums: new Float64Array(n + 1),
			matches: null });
	for (let i = 0; i < track.n; i++) {
		const c = classes[track.cls[i]];
		const lane = lanes.get(2 * c.depth + (c.flags & INSTANT));
		const k = lane.n++;
		lane.entry[k] = i;
		lane.time[k] = track.time[i];
		lane.lasts[k] = track.lasts[i];
		lane.sums[k + 1] = lane.sums[k] + track.lasts[i];
	}
	track.lanes = [...lanes.values()].sort((a, b) =>
		a.depth - b.depth || a.instant - b.instant);
	track.depth = 1 + max(0, ...lanes.keys()) / 2 | 0;
}

// Returns the first index from `low` on whose value is at least x.
function lower(array, x, low = 0, high = array.length) {
	while (low < high) {
		const middle = (low + high) >> 1;
		if (array[middle] < x)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

// As lower(), for an index that is near.
function near(array, x, low) {
	let step = 1;
	while (array[low + step] < x) {
		low += step;
		step *= 2;
	}
	return lower(array, x, low, min(array.length, low + step));
}

// ---------------------------------------------------------------- words

// Characters that are not seen, or that change the direction of others.
const SPECIAL = new RegExp('[\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u061c' +
	'\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\ufeff\\ufff9-\\uffff]',
	'g');
const escape = s => s.replace(SPECIAL, c => '\\u' +
	c.charCodeAt(0).toString(16).padStart(4, '0'));
const clip = (s, n) => s.length > n ? s.slice(0, n) + '\u2026' : s;
const commas = n => BigInt(n).toLocaleString('en-US');
const shown = s => clip(escape(String(s)), 200);

const UNITS = [[1e9, 's'], [1e6, 'ms'], [1e3, '\u00b5s'], [1, 'ns']];
const unitOf = ns => UNITS.find(u => ns >= u[0]) || UNITS[3];

function duration(ns) {
	const unit = unitOf(abs(ns)), x = ns / unit[0], size = abs(x);
	return (size >= 1000 ? commas(x.toFixed(0)) : unit[0] === 1 ?
		String(round(x * 10) / 10) :
		x.toFixed(size < 10 ? 3 : size < 100 ? 2 : 1)) + ' ' + unit[1];
}

function float32(x) {
	let digits = 1;
	while (digits < 9 && fround(x.toPrecision(digits)) !== x)
		digits++;
	return String(Number(x.toPrecision(digits)));
}

function valueText(column, row) {
	const v = column.value(row);
	switch (column.type) {
	case 't': {
		const t = texts[v];
		return typeof t !== 'string' ? String(t) :
			escape(JSON.stringify(t));
	}
	case 'p':
		return '0x' + v.toString(16);
	case 'f':
		return float32(v);
	default:
		return String(v);
	}
}

// Lists [name, text] of a row's arguments, after the CPU and the thread.
const argumentsOf = (shape, row) => shape < 0 ? [] :
	shapes[shape].columns.slice(2).map(c => [c.name, valueText(c, row)]);

const sentence = list => list.map(a =>
	escape(a[0]) + '=' + clip(a[1], 60)).join(' ');

function label(track, i, length) {
	const c = classes[track.cls[i]];
	let s = escape(c.name);
	if (length > 2 * s.length)
		s += '  ' + sentence(argumentsOf(c.shape, track.row[i]));
	if (length > s.length + 12 && !(c.flags & INSTANT))
		s += '  ' + duration(track.lasts[i]);
	return clip(s, max(1, length));
}

function trackTitle(track) {
	const name = shown(texts[track.name]);
	if (track.kind === THREAD)
		return 'thread ' + track.tid;
	return track.kind === 1 ? 'unit ' + name : name;
}

const process = track => shown(texts[track.program]) + ' (' + track.pid + ')';

function wallTime(ns) {
	const wall = BigInt(meta.wall) + BigInt(round(ns));
	const date = new Date(Number(wall / 1000000n));
	return isNaN(date) || meta.wall === '0' ? '' :
		date.toISOString().replace('T', ' ').slice(0, 19) + '.' +
		String(wall % 1000000000n).padStart(9, '0') + ' UTC';
}

// ---------------------------------------------------------------- rows

const GUTTER = 168, AXIS = 24, LANE = 20, GAP = 8, TITLE = 24;
const FONT = '12px system-ui, sans-serif';
let rows = [], height = 0;

// Places processes, and in them threads, units and other tracks.
function makeRows() {
	const byProcess = new Map();
	for (const t of tracks) {
		if (!byProcess.has(t.pid))
			byProcess.set(t.pid, []);
		byProcess.get(t.pid).push(t);
	}
	for (const l of losses)
		if (!byProcess.has(l.pid))
			byProcess.set(l.pid, []);
	let y = AXIS;
	rows = [];
	for (const [pid, list] of byProcess) {
		list.sort((a, b) => a.kind - b.kind || a.tid - b.tid);
		const heading = { y, h: TITLE, pid, last: null,
			losses: losses.filter(l => l.pid === pid && l.known),
			text: list.length ? process(list[0]) :
				'process ' + pid };
		rows.push(heading);
		y += TITLE;
		for (const track of list) {
			track.y = y;
			track.h = track.depth * LANE + GAP;
			rows.push({ y, h: track.h, track, heading });
			y += track.h;
		}
		heading.bottom = y;
	}
	height = y + GAP;
	$('space').style.height = height + 'px';
	timeline.style.height = min(height + 2, innerHeight / 2) + 'px';
}

// ---------------------------------------------------------------- drawing

const view = { from: 0, to: 1 };
let extent = 0, visible = 0, colours, stripes, pending = false;
let selected = null, matching = null, dragged = null, chosen = null;

function readColours() {
	const style = getComputedStyle(document.documentElement);
	colours = { bars: [] };
	for (const name of ['page', 'text', 'quiet', 'line', 'panel', 'accent',
		'loss'])
		colours[name] = style.getPropertyValue('--' + name).trim();
	for (let i = 0; i < COLOURS; i++)
		colours.bars.push(style.getPropertyValue('--bar' + i).trim());
	const tile = document.createElement('canvas');
	tile.width = tile.height = 8;
	const g = tile.getContext('2d');
	g.strokeStyle = colours.loss;
	g.beginPath();
	for (const x of [-8, 0, 8]) {
		g.moveTo(x - 1, 9);
		g.lineTo(x + 9, -1);
	}
	g.stroke();
	stripes = canvas.getContext('2d').createPattern(tile, 'repeat');
}

const xOf = time => GUTTER + (time - view.from) / (view.to - view.from) *
	(extent - GUTTER);
const timeOf = x => view.from + (x - GUTTER) / (extent - GUTTER) *
	(view.to - view.from);

function write(g, colour, text, x, y) {
	g.fillStyle = colour;
	g.fillText(text, x, y);
}

function paint(g, colour, x, y, w, h) {
	g.fillStyle = colour;
	g.fillRect(x, y, w, h);
}

function invalidate() {
	if (pending)
		return;
	pending = true;
	requestAnimationFrame(() => {
		pending = false;
		draw();
	});
}

// Sets the canvas's size to that of its part that can be seen.
function resize() {
	const ratio = devicePixelRatio || 1;
	extent = timeline.clientWidth;
	visible = timeline.clientHeight;
	canvas.width = extent * ratio;
	canvas.height = visible * ratio;
	canvas.style.width = extent + 'px';
	canvas.style.height = visible + 'px';
	canvas.getContext('2d').setTransform(ratio, 0, 0, ratio, 0, 0);
	$('overview').width = $('overview').clientWidth;
	invalidate();
}

function drawAxis(g) {
	const wanted = (view.to - view.from) / max(2, (extent - GUTTER) / 130);
	let step = 10 ** floor(log10(wanted));
	step *= [1, 2, 5, 10].find(f => f * step >= wanted);
	paint(g, colours.page, 0, 0, extent, AXIS);
	write(g, colours.quiet, duration(view.to - view.from), 8, 12);
	for (let t = ceil(view.from / step) * step; t <= view.to; t += step) {
		const x = round(xOf(t));
		g.fillRect(x, 0, 1, 5);
		g.fillText(ticks(t, step), x + 4, 12);
	}
	paint(g, colours.line, 0, AXIS - 1, extent, 1);
}

// Shows a time with as many digits as the step needs.
function ticks(t, step) {
	const unit = unitOf(end);
	const decimals = max(0, ceil(-log10(step / unit[0]) - 1e-9));
	return (t / unit[0]).toFixed(min(20, decimals)) + ' ' + unit[1];
}

function outline(g, x, y, w, h) {
	g.strokeStyle = colours['text'];
	g.lineWidth = 2;
	g.strokeRect(x - 1, y, max(w, 2) + 2, h);
	g.lineWidth = 1;
}

function drawSlice(g, lane, i, x, w, y) {
	const entry = lane.entry[i], c = classes[lane.track.cls[entry]];
	const left = max(x, GUTTER), right = min(x + w, extent);
	g.fillStyle = colours.bars[c.group.colour];
	g.globalAlpha = lane.matches && !isMatch(lane, i) ? 0.25 : 1;
	g.fillRect(left, y, right - left, LANE - 3);
	if (w > 3) {
		g.fillStyle = '#0007';
		if (x >= GUTTER)
			g.fillRect(x, y, 1, LANE - 3);
		g.fillRect(left, y + LANE - 4, right - left, 1);
		if (c.flags & INCOMPLETE)
			for (let k = 0; k < LANE - 3; k += 4)
				g.fillRect(right - 2, y + k, 2, 2);
	}
	if (right - left > 24) {
		write(g, '#14161a', label(lane.track, entry,
			(right - left - 6) / 6.8 | 0),
			left + 4, y + 8.5);
	}
	g.globalAlpha = 1;
}

const isMatch = (lane, i) => lane.matches[i + 1] > lane.matches[i];

// Draws the slices of a lane; those that share a column of pixels as one bar.
function drawLane(g, lane, y) {
	const { time, lasts, sums, matches } = lane, n = time.length;
	const scale = (extent - GUTTER) / (view.to - view.from);
	const bars = colours.bars, cls = lane.track.cls, h = LANE - 3;
	let i = max(0, lower(time, view.from) - 1);
	while (i < n && time[i] < view.to) {
		const x = (time[i] - view.from) * scale, w = lasts[i] * scale;
		if (w >= 1) {
			if (x + w > 0)
				drawSlice(g, lane, i, GUTTER + x, w, y);
			i++;
			continue;
		}
		const column = floor(x);
		let next = near(time, view.from + (column + 1) / scale, i);
		if (next <= i)
			next = i + 1;
		// A slice that is longer than the column is drawn alone.
		if (next - 1 > i && lasts[next - 1] * scale >= 1)
			next--;
		if (column >= 0) {
			// One that is alone is seen.
			const busy = next === i + 1 &&
				!((time[next] - time[i]) * scale < 4) ? 1 :
				min(1, (sums[next] - sums[i]) * scale);
			const part = max(4, round(busy * h));
			const c = classes[cls[lane.entry[i]]];
			g.fillStyle = bars[c.group.colour];
			if (matches && matches[next] === matches[i])
				g.globalAlpha = 0.25;
			g.fillRect(GUTTER + column, y + h - part, 1, part);
			g.globalAlpha = 1;
		}
		i = next;
	}
}

function drawInstants(g, lane, y) {
	const { time, matches } = lane, n = time.length;
	const scale = (extent - GUTTER) / (view.to - view.from);
	let i = lower(time, view.from);
	while (i < n && time[i] <= view.to) {
		const column = floor((time[i] - view.from) * scale);
		let next = near(time, view.from + (column + 1) / scale, i);
		if (next <= i)
			next = i + 1;
		const x = GUTTER + column, alone = next === i + 1 &&
			(next === n || (time[next] - time[i]) * scale > 7);
		g.globalAlpha = matches && matches[next] === matches[i] ?
			0.25 : 1;
		g.fillStyle = colours['text'];
		if (alone) {
			g.beginPath();
			g.moveTo(x, y + 3);
			g.lineTo(x + 4, y + 8);
			g.lineTo(x, y + 13);
			g.lineTo(x - 4, y + 8);
			g.fill();
			const room = next === n ? extent - x :
				(time[next] - time[i]) * scale;
			if (room > 60)
				g.fillText(label(lane.track, lane.entry[i],
					(room - 14) / 6.8 | 0), x + 7, y + 8.5);
		} else
			g.fillRect(x, y + 5, 1, 7);
		i = next;
	}
	g.globalAlpha = 1;
}

function drawTrack(g, track, y) {
	for (const lane of track.lanes) {
		const at = y + lane.depth * LANE;
		if (at > visible || at + LANE < AXIS)
			continue;
		if (lane.instant)
			drawInstants(g, lane, at);
		else
			drawLane(g, lane, at);
	}
}

function drawSelected(g, top) {
	if (!selected)
		return;
	const { track, i } = selected;
	const x = xOf(track.time[i]);
	const w = xOf(track.time[i] + track.lasts[i]) - x;
	if (x + w >= GUTTER && x <= extent)
		outline(g, max(x, GUTTER - 4), track.y - top +
			classes[track.cls[i]].depth * LANE,
			min(x + w, extent + 4) - max(x, GUTTER - 4),
			LANE - 3);
}

// Draws a process's name and its losses, which its slices are drawn over.
function drawHeading(g, heading, top) {
	const y = heading.y - top, h = heading.bottom - heading.y - GAP;
	paint(g, colours.panel, 0, y, extent, TITLE - 4);
	for (const l of heading.losses) {
		const x = max(GUTTER, xOf(l.from));
		const w = max(3, min(extent, xOf(l.to)) - x);
		if (x > extent || xOf(l.to) < GUTTER)
			continue;
		const text = clip(commas(l.count) + ' ' + l.name + ', CPU ' +
			l.cpu, w / 6.8 | 0);
		paint(g, stripes, x, y, w, h);
		paint(g, colours.loss, x, y, 1, h);
		if (w > 60) {
			paint(g, colours.page, x + 2, y + 2,
				6.8 * text.length, 16);
			write(g, colours.loss, text, x + 4, y + 10);
		}
	}
	g.font = 'bold ' + FONT;
	write(g, colours['text'], heading.text, 8, y + 10);
	g.font = FONT;
}

// Returns the index of the first row that ends after y.
function rowAt(y) {
	let low = 0, high = rows.length;
	while (low < high) {
		const middle = (low + high) >> 1;
		if (rows[middle].y + rows[middle].h <= y)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

function drawGutter(g, row, y) {
	paint(g, colours.page, 0, y, GUTTER, row.h);
	paint(g, colours.line, GUTTER - 1, y, 1, row.h);
	write(g, colours['text'], clip(trackTitle(row.track), 24), 16, y + 8.5);
}

function draw() {
	const g = canvas.getContext('2d'), top = timeline.scrollTop;
	paint(g, colours.page, 0, 0, extent, visible);
	g.font = FONT;
	g.textBaseline = 'middle';
	const seen = [], titles = new Set();
	for (let k = rowAt(top); k < rows.length &&
	    rows[k].y < top + visible; k++) {
		seen.push(rows[k]);
		titles.add(rows[k].heading || rows[k]);
	}
	for (const heading of titles)
		drawHeading(g, heading, top);
	for (const row of seen)
		if (row.track) {
			drawTrack(g, row.track, row.y - top);
			drawGutter(g, row, row.y - top);
		}
	drawSelected(g, top);
	if (dragged && dragged.range) {
		g.strokeStyle = colours.accent;
		g.strokeRect(dragged.x, AXIS, dragged.now - dragged.x,
			visible - AXIS - 1);
	}
	drawAxis(g);
	drawOverview();
}

let density = null;

// Counts, in 1,024 steps, how busy the tracks are.
function makeDensity() {
	density = new Float64Array(1024);
	for (const track of tracks)
		for (const lane of track.lanes) {
			let i = 0;
			for (let k = 0; k < 1024; k++) {
				const j = lower(lane.time, end * (k + 1) / 1024,
					i);
				if (lane.depth === 0)
					density[k] += j - i;
				i = j;
			}
		}
	const most = max(1, ...density);
	density = density.map(n => sqrt(n / most));
}

function drawOverview() {
	const o = $('overview'), g = o.getContext('2d'), w = o.width - GUTTER;
	g.clearRect(0, 0, o.width, 36);
	g.fillStyle = colours.quiet;
	for (let k = 0; k < 1024 && density; k++)
		g.fillRect(GUTTER + k * w / 1024, 34 - 30 * density[k],
			w / 1024 + 0.5, 30 * density[k]);
	g.fillStyle = colours.loss;
	for (const l of losses)
		if (l.known)
			g.fillRect(GUTTER + l.from / end * w, 0, max(2,
				(min(end, l.to) - l.from) / end * w), 3);
	g.strokeStyle = colours.accent;
	g.lineWidth = 2;
	g.strokeRect(GUTTER + view.from / end * w + 1, 1, max(3,
		(view.to - view.from) / end * w - 2), 34);
	g.font = FONT;
	write(g, colours.quiet, 'all: ' + duration(end), 8, 22);
}

// ---------------------------------------------------------------- moving

function show(from, to) {
	const least = 1, most = end * 1.02;
	let span = min(max(to - from, least), most);
	const middle = (from + to) / 2;
	from = max(-end * 0.01, min(middle - span / 2,
		end * 1.01 - span));
	view.from = from;
	view.to = from + span;
	invalidate();
}

const showAll = () => show(-end * 0.01, end * 1.01);

function zoom(factor, x = (GUTTER + extent) / 2) {
	const t = timeOf(x);
	show(t - (t - view.from) * factor, t + (view.to - t) * factor);
}

function pan(part) {
	const d = (view.to - view.from) * part;
	show(view.from + d, view.to + d);
}

// Scrolls and moves the view so that an entry can be seen.
function reveal(track, i, fit) {
	const time = track.time[i], lasts = track.lasts[i];
	const middle = time + lasts / 2;
	const half = (fit ? max(lasts * 1.5, 20) : view.to - view.from) / 2;
	if (fit || time + lasts < view.from || time > view.to)
		show(middle - half, middle + half);
	const y = track.y + classes[track.cls[i]].depth * LANE;
	const top = timeline.scrollTop;
	if (y < top + AXIS || y + LANE > top + visible)
		timeline.scrollTop = y - visible / 2;
}

// Returns the track and the entry at a place of the canvas, or null.
function entryAt(x, y) {
	const row = rows[rowAt(y + timeline.scrollTop)];
	if (!row || !row.track || x < GUTTER || y < AXIS)
		return null;
	const depth = (y + timeline.scrollTop - row.y) / LANE | 0;
	const time = timeOf(x), slack = timeOf(x + 4) - time;
	let best = null, least = Infinity;
	for (const lane of row.track.lanes) {
		if (lane.depth !== depth)
			continue;
		const k = lower(lane.time, time + 1e-6);
		for (const i of [k - 1, k]) {
			if (i < 0 || i >= lane.n)
				continue;
			const d = max(lane.time[i] - time,
				time - lane.time[i] - lane.lasts[i], 0);
			if (d <= slack && d < least) {
				least = d;
				best = { track: row.track, i: lane.entry[i] };
			}
		}
	}
	return best;
}

// ---------------------------------------------------------------- tables

function element(name, text, className) {
	const e = document.createElement(name);
	if (text !== undefined)
		e.textContent = text;
	if (className)
		e.className = className;
	return e;
}

function button(text, action, className) {
	const b = element('button', text, className);
	b.onclick = action;
	return b;
}

function addRow(table, cells) {
	const row = table.insertRow();
	for (const [i, cell] of cells.entries()) {
		const e = row.appendChild(element(i ? 'td' : 'th'));
		if (!i)
			e.scope = 'row';
		if (cell instanceof Node)
			e.append(cell);
		else if (Array.isArray(cell)) {
			e.textContent = cell[0];
			e.className = cell[1];
		} else
			e.textContent = cell;
	}
	return row;
}

const number = text => [text, 'number'];
const LACKS = 'records were lost while it was open';

// Shows the records of an entry, with all their arguments.
function select(track, i, fit) {
	selected = { track, i };
	reveal(track, i, fit);
	const c = classes[track.cls[i]], box = $('selected');
	box.textContent = '';
	const heading = element('p');
	heading.append(swatch(c.group),
		element('strong', shown(c.name), 'text'),
		c.flags & INSTANT ? '' : ' ' + duration(track.lasts[i]));
	const table = element('table');
	addRow(table, ['process', process(track)]);
	addRow(table, [track.kind === THREAD ? 'thread' : 'track',
		trackTitle(track)]);
	addRow(table, ['begins', duration(track.time[i]) + '  ' +
		wallTime(track.time[i])]);
	if (!(c.flags & INSTANT))
		addRow(table, ['lasts', commas(track.lasts[i]) + ' ns']);
	if (c.flags & INCOMPLETE)
		addRow(table, ['incomplete', LACKS]);
	addRecord(table, c.shape, track.row[i]);
	addRecord(table, c.endShape, track.endRow[i]);
	const tools = element('p');
	tools.append(button('Zoom to it', () => select(track, i, true)), ' ',
		button('Before', () => step(-1)), ' ',
		button('Next', () => step(1)));
	box.append(heading, table, tools);
	invalidate();
}

function addRecord(table, shape, row) {
	if (shape < 0)
		return;
	const s = shapes[shape], cpu = s.columns[0].value(row);
	const head = addRow(table, [s.record ? 'record' : 'of',
		[clip(escape(texts[s.title]), 4096), 'text']]);
	if (cpu >= 0)
		head.cells[1].append(element('span', '  CPU ' + cpu +
			', thread ' + s.columns[1].value(row), 'quiet'));
	for (const [name, text] of argumentsOf(shape, row))
		addRow(table, ['\u2003' + shown(name),
			[clip(text, 65536), 'text']]);
}

function swatch(group) {
	const e = element('span', '', 'swatch');
	e.style.background = group.instant ? colours['text'] :
		colours.bars[group.colour];
	return e;
}

// Selects the slice before (-1) or after (1) the selected one, in its lane.
function step(by) {
	if (!selected) {
		const row = rows.slice(rowAt(timeline.scrollTop + AXIS))
			.find(r => r.track);
		if (row)
			select(row.track, min(row.track.n - 1,
				lower(row.track.time, view.from)));
		return;
	}
	const { track, i } = selected, c = classes[track.cls[i]];
	const lane = track.lanes.find(l => l.depth === c.depth &&
		l.instant === (c.flags & INSTANT));
	const k = lower(lane.entry, i) + by;
	if (k >= 0 && k < lane.n)
		select(track, lane.entry[k]);
}

// Selects the entry of the lane above or below that is nearest in time.
function stepRow(by) {
	if (!selected)
		return step(1);
	const { track, i } = selected, c = classes[track.cls[i]];
	const lanes = rows.flatMap(r => r.track ? r.track.lanes : []);
	let k = lanes.findIndex(l => l.track === track && l.depth === c.depth &&
		l.instant === (c.flags & INSTANT));
	const lane = lanes[k + by];
	if (lane)
		select(lane.track, lane.entry[max(0, min(lane.n - 1,
			lower(lane.time, track.time[i])))]);
}

// Sorts the lengths of each group's slices.
function measureGroups() {
	groups.forEach(g => {
		g.lengths = new Float64Array(g.instant ? 0 : g.count);
		g.filled = 0;
	});
	for (const track of tracks)
		for (let i = 0; i < track.n; i++) {
			const g = classes[track.cls[i]].group;
			if (g.instant)
				continue;
			g.lengths[g.filled++] = track.lasts[i];
			if (!g.longest || track.lasts[i] >
			    g.longest.track.lasts[g.longest.i])
				g.longest = { track, i };
		}
	for (const g of groups) {
		g.lengths.sort();
		g.total = g.lengths.reduce((a, b) => a + b, 0);
		g.mean = g.total / g.count;
		for (const p of [50, 90, 99])
			g['p' + p] = g.lengths[max(0,
				ceil(g.count * p / 100) - 1)];
		g.max = g.lengths[g.count - 1];
	}
}

const COLUMNS = [['Name', 'name'], ['Provider', 'category'],
	['Count', 'count'], ['Total', 'total'], ['Mean', 'mean'],
	['p50', 'p50'], ['p90', 'p90'], ['p99', 'p99'], ['Longest', 'max']];
const MOST_ROWS = 1000;
const more = list => 'and ' + commas(list.length - MOST_ROWS) + ' more';
let order = { key: 'total', up: false };

function sortBy(key) {
	order = { key, up: order.key === key ? !order.up :
		key === 'name' || key === 'category' };
	showSlices();
	$('slices').querySelector('thead [aria-sort] button').focus();
}

function showSlices() {
	const table = $('slices'), key = order.key, sign = order.up ? 1 : -1;
	table.textContent = '';
	const head = table.createTHead().insertRow();
	for (const [heading, name] of COLUMNS) {
		const isText = name === 'name' || name === 'category';
		const th = head.appendChild(element('th', undefined,
			isText ? '' : 'number'));
		th.scope = 'col';
		const arrow = name !== key ? '' :
			order.up ? ' \u25b2' : ' \u25bc';
		th.append(button(heading + arrow, () => sortBy(name)));
		if (arrow)
			th.ariaSort = order.up ? 'ascending' : 'descending';
	}
	const body = table.createTBody();
	const sorted = [...groups].sort((a, b) => sign *
		(a[key] > b[key] ? 1 : a[key] < b[key] ? -1 :
			(a[key] === undefined) - (b[key] === undefined)) ||
		b.count - a.count);
	for (const g of sorted.slice(0, MOST_ROWS)) {
		const name = element('span');
		name.append(swatch(g), button(shown(g.name), () => choose(g),
			'name text'));
		const times = g.instant ? ['', '', '', '', '', ''] :
			['total', 'mean', 'p50', 'p90', 'p99'].map(k =>
				number(duration(g[k])));
		if (!g.instant)
			times.push(button(duration(g.max), () =>
				select(g.longest.track, g.longest.i, true)));
		const row = addRow(body, [name, shown(g.category),
			number(commas(g.count)), ...times]);
		row.classList.toggle('chosen', g === chosen);
	}
	if (sorted.length > MOST_ROWS)
		addRow(body, [more(sorted)]);
}

// Shows a histogram of the chosen group's lengths, by powers of two.
function choose(group) {
	chosen = group;
	showSlices();
	const table = $('histogram'), heading = $('histogram-title');
	table.textContent = '';
	heading.hidden = false;
	if (group.instant) {
		heading.textContent = shown(group.name) +
			': records alone, which have no length';
		return;
	}
	heading.textContent = 'How long ' + shown(group.name) + ' lasts';
	const buckets = new Map();
	for (const n of group.lengths) {
		const k = n < 1 ? 0 : 1 + floor(log2(n));
		buckets.set(k, (buckets.get(k) || 0) + 1);
	}
	const keys = [...buckets.keys()], most = max(...buckets.values());
	for (let k = min(...keys); k <= max(...keys); k++) {
		const n = buckets.get(k) || 0, bar = element('span', '', 'bar');
		bar.style.width = 100 * n / most + '%';
		bar.hidden = n === 0;
		addRow(table, [number(k ? '\u2265 ' + duration(2 ** (k - 1)) :
			'0 ns'), number(commas(n)),
			number((100 * n / group.count).toFixed(1) + ' %'),
			bar]);
	}
}

function showRecords() {
	const counts = new Map();
	for (const s of shapes)
		if (s.record)
			counts.set(texts[s.title], s['rows'] +
				(counts.get(texts[s.title]) || 0));
	for (const list of [[...counts].sort((a, b) => b[1] - a[1]),
		meta['sums'].map(([i, n]) => [texts[i], n])]) {
		for (const [heading, n] of list.slice(0, MOST_ROWS))
			addRow($('records'), [[clip(escape(heading), 4096),
				'text'], number(commas(n))]);
		if (list.length > MOST_ROWS)
			addRow($('records'), [more(list)]);
	}
}

function showLosses() {
	$('lost').hidden = losses.length === 0;
	for (const l of losses.slice(0, MOST_ROWS)) {
		const where = !l.known ? 'time not known' :
			(l.from ? duration(l.from) : '') + ' \u2013 ' +
			(l.to < Infinity ? duration(l.to) : '');
		const go = button(where, () => show(l.from - 1e3, min(end, l.to)
			+ 1e3));
		addRow($('losses'), [l.name, number(commas(l.count)),
			'CPU ' + l.cpu, l.known ? go : where]);
	}
}

function showSummary() {
	const programs = [...new Set(tracks.map(process))];
	const parts = ['records', 'drops', 'overwritten', 'discarded']
		.filter((n, i) => !i || meta[n] !== '0')
		.map(n => commas(meta[n]) + ' ' + n);
	const slices = groups.map(g => g.instant ? 0 : g.count);
	parts.push(commas(slices.reduce((a, n) => a + n, 0)) + ' slices');
	$('summary').textContent = clip(programs.join(', '), 200) + ': ' +
		parts.join(', ') + ', ' + duration(end) +
		(meta.wall === '0' ? '' : ' from ' + wallTime(0));
	document.title = 'tbuf: ' + clip(programs.join(', '), 60);
}

// ---------------------------------------------------------------- search

// Returns a function that is true for a column's matching value.
function columnTest(text) {
	const wanted = text.trim(), lowered = wanted.toLowerCase();
	const found = texts.map(t => String(t).toLowerCase().includes(lowered));
	let exact = null;
	try {
		if (wanted !== '')
			exact = BigInt(wanted);
	} catch (e) {
		exact = null;
	}
	const plain = wanted === '' ? NaN : Number(wanted);
	return (column, row) => {
		const v = column.value(row);
		return column.type === 't' ? found[v] : typeof v === 'bigint' ?
			v === exact : v === plain;
	};
}

// Marks the matching rows of a shape.
function matchRows(shape, name, test) {
	const rows = new Uint8Array(shape['rows']);
	for (const c of shape.columns) {
		if (name !== null && c.name !== name)
			continue;
		for (let i = 0; i < rows.length; i++)
			if (test(c, i))
				rows[i] = 1;
	}
	return rows;
}

function search(text) {
	const wanted = text.toLowerCase();
	const parts = text.match(/^([^=]+)=(.*)$/s);
	matching = null;
	for (const t of tracks)
		t.lanes.forEach(l => l.matches = null);
	$('matches').textContent = '';
	if (text === '')
		return invalidate();
	const test = columnTest(parts ? parts[2] : text);
	const marked = shapes.map(s => matchRows(s, parts ? parts[1].trim() :
		null, test));
	const named = classes.map(c => !parts && [c.name, c.category,
		...[c.shape, c.endShape].map(s => s < 0 ? '' :
			texts[shapes[s].title])]
		.some(s => s.toLowerCase().includes(wanted)));
	const matches = (track, i) => {
		const c = classes[track.cls[i]];
		return named[track.cls[i]] ||
			(c.shape >= 0 && marked[c.shape][track.row[i]]) ||
			(c.endShape >= 0 &&
			marked[c.endShape][track.endRow[i]]) || 0;
	};
	matching = 0;
	for (const track of tracks)
		for (const lane of track.lanes) {
			lane.matches = new Uint32Array(lane.n + 1);
			for (let k = 0; k < lane.n; k++)
				lane.matches[k + 1] = lane.matches[k] +
					matches(track, lane.entry[k]);
			matching += lane.matches[lane.n];
		}
	$('matches').textContent = commas(matching) +
		(matching === 1 ? ' match' : ' matches');
	invalidate();
}

// Selects the match after (1) or before (-1) the selected entry, by time.
function nextMatch(by) {
	if (!matching)
		return;
	const rank = new Map(tracks.map((t, i) => [t, i * 2 ** 32]));
	const place = (track, i) => ({ track, i, time: track.time[i],
		place: rank.get(track) + i });
	const here = selected ? place(selected.track, selected.i) :
		{ time: view.from, place: -1 };
	const before = (a, b) =>
		by * (a.time - b.time || a.place - b.place) < 0;
	let best = null;
	for (const track of tracks)
		for (const lane of track.lanes)
			for (let k = 0; k < lane.n; k++) {
				if (!isMatch(lane, k))
					continue;
				const one = place(track, lane.entry[k]);
				if (before(here, one) &&
				    (!best || before(one, best)))
					best = one;
			}
	if (best)
		select(best.track, best.i);
}

// ---------------------------------------------------------------- input

function showTip(e) {
	const box = canvas.getBoundingClientRect();
	const found = entryAt(e.clientX - box.left, e.clientY - box.top);
	const tip = $('tip');
	tip.hidden = !found;
	if (!found)
		return;
	const { track, i } = found, c = classes[track.cls[i]];
	tip.textContent = '';
	const heading = element('div');
	heading.append(element('strong', shown(c.name), 'text'),
		c.flags & INSTANT ? '' : '  ' + duration(track.lasts[i]),
		element('span', '  at ' + duration(track.time[i]), 'quiet'));
	tip.append(heading);
	for (const [shape, row] of [[c.shape, track.row[i]],
		[c.endShape, track.endRow[i]]]) {
		const list = argumentsOf(shape, row);
		if (list.length)
			tip.append(element('div', clip(sentence(list), 400),
				'text'));
	}
	if (c.flags & INCOMPLETE)
		tip.append(element('div', LACKS));
	const r = tip.getBoundingClientRect();
	tip.style.left = max(0, min(e.clientX + 12,
		innerWidth - r.width - 8)) + 'px';
	tip.style.top = (e.clientY + 18 + r.height > innerHeight ?
		e.clientY - r.height - 8 : e.clientY + 18) + 'px';
}

canvas.onpointerdown = e => {
	if (e['button'] !== 0)
		return;
	canvas.setPointerCapture(e.pointerId);
	dragged = { x: e.offsetX, now: e.offsetX, moved: false,
		from: view.from, to: view.to, range: e.shiftKey };
	$('tip').hidden = true;
};
canvas.onpointermove = e => {
	if (!dragged)
		return showTip(e);
	dragged.now = e.offsetX;
	dragged.moved = dragged.moved || abs(e.offsetX - dragged.x) > 3;
	if (dragged.range)
		return invalidate();
	if (dragged.moved) {
		const d = (dragged.x - e.offsetX) / (extent - GUTTER) *
			(dragged.to - dragged.from);
		show(dragged.from + d, dragged.to + d);
	}
};
canvas.onpointerup = e => {
	const was = dragged;
	dragged = null;
	if (!was)
		return;
	if (was.range && was.moved)
		show(timeOf(min(was.x, was.now)), timeOf(max(was.x,
			was.now)));
	else if (!was.moved) {
		const found = entryAt(e.offsetX, e.offsetY);
		if (found)
			select(found.track, found.i);
	}
	invalidate();
};
canvas.onpointercancel = () => dragged = null;
canvas.onpointerleave = () => $('tip').hidden = true;
canvas.ondblclick = e => {
	const found = entryAt(e.offsetX, e.offsetY);
	if (found)
		select(found.track, found.i, true);
};

// A wheel scrolls where there is more than can be seen, else it zooms.
canvas.addEventListener('wheel', e => {
	const scrolls = !e.ctrlKey && !e.metaKey && height > visible + 1;
	const across = e.shiftKey ? e.deltaY || e.deltaX : e.deltaX;
	if (e.shiftKey || abs(e.deltaX) > abs(e.deltaY)) {
		e.preventDefault();
		pan(across / extent);
	} else if (!scrolls) {
		e.preventDefault();
		zoom(exp(max(-1, min(1, e.deltaY / 400))), e.offsetX);
	}
}, { passive: false });

$('overview').onpointerdown = $('overview').onpointermove = e => {
	if (!(e.buttons & 1))
		return;
	$('overview').setPointerCapture(e.pointerId);
	const t = (e.offsetX - GUTTER) / ($('overview').width - GUTTER) * end;
	const half = (view.to - view.from) / 2;
	show(t - half, t + half);
};

function toggleKeys() {
	$('keys').hidden = !$('keys').hidden;
	$('help').setAttribute('aria-expanded', String(!$('keys').hidden));
}

function escapeAll() {
	$('search').value = '';
	search('');
	selected = null;
	$('selected').textContent = 'Nothing.';
	$('tip').hidden = true;
}

const keys = {
	ArrowLeft: () => pan(-0.1), ArrowRight: () => pan(0.1),
	a: () => pan(-0.1), d: () => pan(0.1),
	ArrowUp: () => stepRow(-1), ArrowDown: () => stepRow(1),
	'+': () => zoom(0.7), '=': () => zoom(0.7), w: () => zoom(0.7),
	'-': () => zoom(1 / 0.7), s: () => zoom(1 / 0.7),
	0: showAll, Home: showAll,
	',': () => step(-1), '.': () => step(1),
	n: () => nextMatch(1), N: () => nextMatch(-1),
	Enter: () => selected && reveal(selected.track, selected.i, true),
	Escape: escapeAll
};

addEventListener('keydown', e => {
	const inText = e.target === $('search');
	if (e.ctrlKey || e.metaKey || e.altKey || !meta)
		return;
	if (inText && e.key === 'Enter')
		nextMatch(e.shiftKey ? -1 : 1);
	else if (inText && e.key === 'Escape') {
		escapeAll();
		canvas.focus();
	} else if (inText)
		return;
	else if (e.key === '/')
		$('search').focus();
	else if (e.key === '?')
		toggleKeys();
	else if (keys[e.key] && (e.target === canvas ||
	    e.target === document.body))
		keys[e.key]();
	else
		return;
	e.preventDefault();
});

function listen() {
	let timer = 0;
	$('search').oninput = () => {
		clearTimeout(timer);
		timer = setTimeout(() => search($('search').value), 150);
	};
	$('previous').onclick = () => nextMatch(-1);
	$('next').onclick = () => nextMatch(1);
	$('in').onclick = () => zoom(0.7);
	$('out').onclick = () => zoom(1 / 0.7);
	$('all').onclick = showAll;
	$('help').onclick = toggleKeys;
	timeline.onscroll = invalidate;
	new ResizeObserver(resize).observe(timeline);
	matchMedia('(prefers-color-scheme: dark)').onchange = () => {
		readColours();
		showSlices();
		invalidate();
	};
}

async function load() {
	const holder = $('data'), text = holder.textContent;
	holder.remove();
	readData(await inflate(decodeBase64(text)));
	makeGroups();
	tracks.forEach(makeLanes);
	makeRows();
	readColours();
	makeDensity();
	listen();
	resize();
	showAll();
	draw();
	showSummary();
	performance.mark('drawn');
	await new Promise(done => setTimeout(done));
	measureGroups();
	showSlices();
	showRecords();
	showLosses();
	const first = groups.find(g => !g.instant);
	if (first)
		choose(first);
	performance.mark('ready');
	document.documentElement.dataset.state = 'ready';
}

load().catch(e => {
	$('summary').textContent = 'The data of this page is damaged: ' +
		e.message;
	document.documentElement.dataset.state = 'damaged';
});

// For tests.
window.report = { 'draw': draw, 'zoom': zoom, pan, 'select': select,
	'search': search, 'names': () => tracks.map(t =>
		[t, [...t.cls].map(i => classes[i].name)]) };
})();
