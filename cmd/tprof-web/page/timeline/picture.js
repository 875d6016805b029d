// Pictures of rows: the answer to /lanes/cells (cmd/tprof-web/lanes_cells.c has its format), and the image
// that is made of it once and stretched until the next one is there.

import {lanes} from '../ask.js';
import {merge} from './merge.js';

export const STATES = ['running', 'runnable', 'syscall', 'blocked', 'lost', 'idle'];
export const ROW = 22; // pixels
const BAR = [2, 17], STRIP = [18, 21], CELL = 8, REASON = 6, MARKS = 7;
export const MARK = {region: 1, log: 2, task: 4, sample: 8, assist: 16};
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

// Relative luminance as WCAG 2 defines it, of a pixel.
function luminance(pixel) {
	const [r, g, b] = [0, 8, 16].map(shift => (pixel >>> shift & 255) / 255).map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
	return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(a, b) {
	const [high, low] = [luminance(a), luminance(b)].sort((x, y) => y - x);
	return (high + 0.05) / (low + 0.05);
}

// Reads the colours of the style sheet, as texts for drawing and as pixels for images; `ink` is for text on states.
export function colours() {
	const style = getComputedStyle(document.documentElement), text = {}, pixel = {}, ink = {};
	for (const name of ['fg', 'bg', 'soft', 'line', 'faint', 'field', 'accent', 'hit', 's0', 's1', 's2', 's3', 's4', 'gc', 'stw', 'focus']) {
		text[name] = style.getPropertyValue('--' + name).trim();
		pixel[name] = rgba(text[name]);
	}
	for (const name of ['s0', 's1', 's2', 's3']) ink[name] = contrast(pixel.fg, pixel[name]) > contrast(pixel.bg, pixel[name]) ? text.fg : text.bg;
	return {text, pixel, ink};
}

// A colour between two others, opaque.
function mix(a, b) {
	let out = 0xff000000;
	for (const s of [0, 8, 16]) out |= ((a >> s & 255) * 0.6 + (b >> s & 255) * 0.4) << s;
	return out >>> 0;
}

// In the order in which they are stacked from the bottom of a cell: the byte of its share, the colour, and the
// hatching by which it is told without colours, for the pixels of a square of four by four.
const LAYERS = [[0, 's0', null], [2, 's2', (x, y) => y === 0], [1, 's1', (x, y) => (x + y & 3) === 0], [4, 's4', (x, y) => (x + y & 3) === 0 || (x - y & 3) === 0], [3, 's3', null]];
const STRIPES = [['log', 'stw'], ['task', 'fg'], ['assist', 'gc'], ['region', 'accent'], ['sample', 's4']];

// The colours of the layers' squares: bright ones, then faded ones.
function squares(colour) {
	const out = new Uint32Array(LAYERS.length * 32);
	LAYERS.forEach(([, name, hatched], l) => {
		for (let y = 0; y < 4; y++) for (let x = 0; x < 4; x++) {
			const pixel = hatched && hatched(x, y) ? mix(colour.pixel[name], colour.pixel.bg) : colour.pixel[name], at = l * 16 + y * 4 + x;
			out[at] = pixel;
			out[LAYERS.length * 16 + at] = pixel & 0x3fffffff;
		}
	});
	return out;
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

let spare = null; // the pixels of the last image, for one of the same size

// Returns a promise of the image of a picture; `wide` pixels for each column.
export function paint(p, {colour, dpr, nsPerPixel, search}) {
	const wide = Math.max(1, Math.min(Math.round(p.step / nsPerPixel * dpr), Math.floor(MOST_WIDE / p.cols))), k = Math.max(1, Math.round(dpr));
	const width = p.cols * wide, tall = Math.round(ROW * dpr), height = Math.max(1, p.rows.length * tall);
	if (spare && spare.width === width && spare.height === height) new Uint32Array(spare.data.buffer).fill(0);
	else spare = new ImageData(width, height);
	const to = {pixels: new Uint32Array(spare.data.buffer), width, wide, k, squares: squares(colour)}, bar = BAR.map(v => Math.round(v * dpr)), strip = STRIP.map(v => Math.round(v * dpr));
	for (let row = 0; row < p.rows.length; row++) {
		const match = matching(p, row, search);
		paintRow(p, row, to, row * tall + bar[1] - 1, bar[1] - bar[0], match);
		paintStrip(to.pixels, p, row, row * tall, strip, wide, width, colour, match);
	}
	return createImageBitmap(spare);
}

// Asks for a picture and paints it: {from, step, cols, first, parts} are the rows of one run, which is `alone`, or of several
// with headings. Returns {picture, image, ms}, ms being how long the server took.
export async function make({parts, alone, ...place}, look, signal) {
	const begin = performance.now(), buffers = await Promise.all(parts.map(p => p.params && lanes('cells', p.params, signal))), ms = performance.now() - begin;
	const pictures = buffers.map(b => b && parse(b)), picture = alone ? pictures[0] : merge(place, parts.map((p, i) => ({...p, picture: pictures[i]})));
	return {picture, image: await paint(picture, look), ms};
}

// Stacks the layers of each cell upwards from the line `bottom`. Shares are cut to whole 255ths, so a full cell
// may lack some; a share has at least a pixel.
function paintRow(p, row, to, bottom, size, match) {
	const {pixels, width, wide, k} = to, cell = p.cell, square = to.squares, layers = LAYERS.length;
	for (let c = 0, x = 0, at = row * p.cols * CELL; c < p.cols; c++, at += CELL, x += wide) {
		const faded = match && !match[c] ? layers * 16 : 0;
		let sum = 0, y = 0;
		for (let l = 0; l < layers; l++) {
			const part = cell[at + LAYERS[l][0]];
			if (!part) continue;
			sum += part;
			const end = Math.min(size, Math.max(y + 1, Math.round((sum > 249 ? 255 : sum) * size / 255)));
			for (; y < end; y++) {
				const line = (bottom - y) * width + x, colours = faded + l * 16 + ((y / k & 3) << 2);
				for (let i = 0; i < wide; i++) pixels[line + i] = square[colours + ((x + i) / k & 3)];
			}
		}
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
