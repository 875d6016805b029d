// Pictures of rows: the answer to /lanes/cells (cmd/tprof-web/lanes_cells.c has its format), and the image
// that is made of it once and stretched until the next one is there.

export const STATES = ['running', 'runnable', 'syscall', 'blocked', 'lost', 'idle'];
export const ROW = 22; // pixels
const BAR = [2, 17], STRIP = [18, 21], CELL = 8, REASON = 6, MARKS = 7;
export const MARK = {region: 1, log: 2, task: 4, sample: 8, sweep: 16, assist: 32};
const MOST_WIDE = 4096;

// Returns {…the head, gc, stw, cell, whose}.
export function parse(buffer) {
	const size = new DataView(buffer).getUint32(0, true), head = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, size)));
	let at = 4 + size;
	const take = n => new Uint8Array(buffer, (at += n) - n, n), cells = head.rows.length * head.cols;
	const p = {...head, gc: take(head.cols), stw: take(head.cols), cell: take(cells * CELL)};
	p.whose = at < buffer.byteLength ? new Uint32Array(buffer.slice(at)) : null;
	p.to = p.from + p.step * p.cols;
	return p;
}

// Returns the state to name for a cell, the longest of the busy ones if it has any; -1 for none.
export function stateOf(cell, at) {
	let most = -1;
	for (let i = 0; i < 3; i++) if (cell[at + i] > (most < 0 ? 0 : cell[at + most])) most = i;
	for (let i = 3; i < 6 && (most < 0 || most >= 3); i++) if (cell[at + i] > (most < 0 ? 0 : cell[at + most])) most = i;
	return most;
}

// Returns what the picture has at a time in a row: {state, reason, whose, marks}; null outside of it.
export function cellAt(p, row, ns) {
	const r = row - p.first, c = Math.floor((ns - p.from) / p.step);
	if (r < 0 || r >= p.rows.length || c < 0 || c >= p.cols) return null;
	const i = r * p.cols + c, at = i * CELL, state = stateOf(p.cell, at);
	return {state: STATES[state] || '', reason: p.reasons[p.cell[at + REASON] - 1] || '', whose: p.whose ? p.whose[i] - 1 : -1, marks: p.cell[at + MARKS]};
}

function rgba(text) {
	const n = parseInt(text.trim().slice(1), 16), wide = text.trim().length < 5;
	const [r, g, b] = wide ? [n >> 8 & 15, n >> 4 & 15, n & 15].map(v => v * 17) : [n >> 16 & 255, n >> 8 & 255, n & 255];
	return (255 << 24 | b << 16 | g << 8 | r) >>> 0;
}

// Reads the colours of the style sheet, as texts for drawing and as pixels for images.
export function colours() {
	const style = getComputedStyle(document.documentElement), text = {}, pixel = {};
	for (const name of ['fg', 'bg', 'soft', 'line', 'faint', 'field', 'accent', 'hit', 's0', 's1', 's2', 's3', 's4', 'gc', 'stw', 'focus']) {
		text[name] = style.getPropertyValue('--' + name).trim();
		pixel[name] = rgba(text[name]);
	}
	return {text, pixel};
}

// A colour between two others, opaque.
function mix(a, b) {
	let out = 0xff000000;
	for (const s of [0, 8, 16]) out |= ((a >> s & 255) * 0.6 + (b >> s & 255) * 0.4) << s;
	return out >>> 0;
}

// In the order in which they are stacked from the bottom of a cell; `hatch` makes them tell without colour.
const LAYERS = [[0, 's0', null], [2, 's2', (x, y, k) => (y / k & 3) === 0], [1, 's1', (x, y, k) => ((x + y) / k & 3) === 0], [4, 's4', (x, y, k) => ((x - y) / k & 3) === 0 || ((x + y) / k & 3) === 0], [3, 's3', null]];
const STRIPES = [['log', 'stw'], ['task', 'fg'], ['assist', 'gc'], ['region', 'accent'], ['sweep', 'gc'], ['sample', 's4']];

// Fills tops[layer * cols + c]: the height in pixels at which each layer of a row's cells ends.
function stack(p, row, height, tops) {
	for (let c = 0; c < p.cols; c++) {
		const at = (row * p.cols + c) * CELL;
		let sum = 0, low = 0;
		for (let l = 0; l < LAYERS.length; l++) {
			const part = p.cell[at + LAYERS[l][0]];
			sum += part;
			// Shares are cut to whole 255ths, so a full cell may lack some; a share has at least a pixel.
			low = part ? Math.min(height, Math.max(low + 1, Math.round((sum > 249 ? 255 : sum) * height / 255))) : low;
			tops[l * p.cols + c] = low;
		}
	}
}

// Which cells match what is searched for; null: nothing is.
function matching(p, row, search) {
	if (!search) return null;
	const out = new Uint8Array(p.cols), named = p.rows[row][8].toLowerCase().includes(search);
	const reasons = p.reasons.map(r => r.toLowerCase().includes(search)), states = STATES.map(s => s.includes(search));
	for (let c = 0; c < p.cols; c++) {
		const at = (row * p.cols + c) * CELL, reason = p.cell[at + REASON];
		out[c] = named || (reason && reasons[reason - 1]) || states[stateOf(p.cell, at)] ? 1 : 0;
	}
	return out;
}

// Draws a picture on a canvas of its own, p.image; `wide` pixels for each column.
export function paint(p, colour, dpr, nsPerPixel, search) {
	const wide = Math.max(1, Math.min(Math.round(p.step / nsPerPixel * dpr), Math.floor(MOST_WIDE / p.cols))), k = Math.max(1, Math.round(dpr));
	const width = p.cols * wide, tall = Math.round(ROW * dpr), height = Math.max(1, p.rows.length * tall);
	const image = p.image || document.createElement('canvas'), bar = BAR.map(v => Math.round(v * dpr)), strip = STRIP.map(v => Math.round(v * dpr));
	if (image.width !== width || image.height !== height) {
		image.width = width;
		image.height = height;
	}
	const ctx = image.getContext('2d'), data = ctx.createImageData(width, height), pixels = new Uint32Array(data.data.buffer);
	const fill = LAYERS.map(l => colour.pixel[l[1]]), hatch = fill.map(f => mix(f, colour.pixel.bg)), tops = new Uint8Array(LAYERS.length * p.cols);
	for (let row = 0; row < p.rows.length; row++) {
		const match = matching(p, row, search), size = bar[1] - bar[0];
		stack(p, row, size, tops);
		for (let y = 0; y < size; y++) paintLine(pixels, p, (row * tall + bar[1] - 1 - y) * width, y, wide, k, tops, fill, hatch, match);
		paintStrip(pixels, p, row, row * tall, strip, wide, width, colour, match);
	}
	ctx.putImageData(data, 0, 0);
	p.image = image;
	p.tall = tall;
	p.wide = wide;
	p.dpr = dpr;
}

function paintLine(pixels, p, start, y, wide, k, tops, fill, hatch, match) {
	const cols = p.cols, layers = LAYERS.length;
	for (let c = 0, x = 0; c < cols; c++) {
		let l = 0;
		while (l < layers && tops[l * cols + c] <= y) l++;
		if (l === layers) {
			x += wide;
			continue;
		}
		const f = LAYERS[l][2], faded = match && !match[c] ? 0x3fffffff : 0xffffffff;
		for (let i = 0; i < wide; i++, x++) pixels[start + x] = ((f && f(x, y, k) ? hatch[l] : fill[l]) & faded) >>> 0;
	}
}

function paintStrip(pixels, p, row, top, strip, wide, width, colour, match) {
	for (let c = 0; c < p.cols; c++) {
		const marks = p.cell[(row * p.cols + c) * CELL + MARKS];
		if (!marks) continue;
		const [, name] = STRIPES.find(([kind]) => marks & MARK[kind]), pixel = (match && !match[c] ? colour.pixel[name] & 0x3fffffff : colour.pixel[name]) >>> 0;
		for (let y = strip[0]; y < strip[1]; y++) pixels.fill(pixel, (top + y) * width + c * wide, (top + y) * width + (c + 1) * wide);
	}
}

// Calls fn(column, columns, state, reason) for stretches of a row that are all in one state for one reason.
export function stretches(p, row, least, fn) {
	for (let c = 0; c < p.cols;) {
		const at = (row * p.cols + c) * CELL, state = stateOf(p.cell, at), reason = p.cell[at + REASON];
		let end = c + 1;
		while (end < p.cols && stateOf(p.cell, (row * p.cols + end) * CELL) === state && p.cell[(row * p.cols + end) * CELL + REASON] === reason && (!p.whose || p.whose[row * p.cols + end] === p.whose[row * p.cols + c])) end++;
		if (end - c >= least && state >= 0) fn(c, end - c, state, reason ? p.reasons[reason - 1] : '');
		c = end;
	}
}
