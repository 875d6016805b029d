// Draws a frame: the axis, the counters, bands of the collector, the rows' picture, and on top of it the
// selection, the cursor, the chain of wake-ups and the critical path. Nothing here asks or lays out.
import {format} from '../dom.js';
import {ROW, STATES, stretches, cellAt} from './picture.js';
import {ticks, exactTime} from './window.js';
import {isHeading} from './merge.js';

export const GUTTER = 238;
const AXIS = 22, TRACK = 32;
const FONT = '12px system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif', MONO = '11.5px ui-monospace,"SF Mono",Menlo,Consolas,"DejaVu Sans Mono",monospace';
const KINDS = ['group', 'g', 'P ', 'M ', 'task ', 'run '];

// Returns what a row is called: "main.worker ×20", "g17 main.worker", "P 3".
export function rowName(row) {
	const [kind, , id, depth, , , , n, name] = row;
	return kind === 0 ? name + (n > 1 ? ' ×' + n : '') : depth ? 'g' + id : KINDS[kind] + id + (name ? ' ' + name : '');
}

// Cuts a text to a width; of names of functions the end tells more.
const cuts = new Map();
function cut(ctx, text, width, keepEnd) {
	const key = Math.floor(width) + ctx.font + text, part = n => keepEnd ? '…' + text.slice(text.length - n) : text.slice(0, n) + '…';
	if (cuts.has(key)) return cuts.get(key);
	let out = text;
	if (ctx.measureText(text).width > width) {
		let low = 0, high = text.length;
		while (low < high) {
			const mid = (low + high + 1) >> 1;
			if (ctx.measureText(part(mid)).width <= width) low = mid;
			else high = mid - 1;
		}
		out = low > 2 ? part(low) : '';
	}
	if (cuts.size > 5000) cuts.clear();
	cuts.set(key, out);
	return out;
}

export class Frame {
	constructor(canvas, s) {
		Object.assign(this, {canvas, s, ctx: canvas.getContext('2d', {alpha: false})});
	}

	get head() {
		return AXIS + (this.s.counters ? this.s.tracks.length * TRACK : 0);
	}

	x(ns) {
		return GUTTER + (ns - this.s.window.from) / this.s.window.span * this.s.width;
	}

	y(row) {
		return this.head + (row - this.s.top) * ROW;
	}

	draw() {
		const {ctx, s} = this, {dpr, colour} = s;
		ctx.setTransform(dpr, 0, 0, dpr, 0, 0);
		ctx.fillStyle = colour.text.bg;
		ctx.fillRect(0, 0, s.canvasWidth, s.canvasHeight);
		ctx.textBaseline = 'middle';
		ctx.save();
		ctx.beginPath();
		ctx.rect(GUTTER, 0, s.width, s.canvasHeight);
		ctx.clip();
		this.axis();
		if (s.counters) this.tracks();
		ctx.save();
		ctx.beginPath();
		ctx.rect(GUTTER, this.head, s.width, s.canvasHeight - this.head);
		ctx.clip();
		this.pictures(s.data.whole, s.data.picture);
		if (s.data.picture) this.words(s.data.picture);
		if (s.data.picture) this.headings(s.data.picture);
		ctx.restore();
		this.bands();
		this.range();
		ctx.beginPath();
		ctx.rect(GUTTER, this.head, s.width, s.canvasHeight - this.head);
		ctx.clip();
		if (s.path) this.path(s.path);
		if (s.chain) this.chain(s.chain);
		this.cursor();
		ctx.restore();
		this.gutter();
	}

	axis() {
		const {ctx, s} = this;
		ctx.font = FONT;
		ctx.textAlign = 'left';
		for (const t of ticks(s.window, s.width, 110, s.ticksOnly ? ns => format('ns', ns, true) : exactTime)) {
			const x = Math.round(this.x(t.ns)) + 0.5;
			ctx.fillStyle = s.colour.text.faint;
			ctx.fillRect(x, AXIS, 1, s.canvasHeight);
			ctx.fillStyle = s.colour.text.soft;
			ctx.fillRect(x, AXIS - 5, 1, 5);
			if (x + 4 + ctx.measureText(t.text).width < GUTTER + s.width) ctx.fillText(t.text, x + 4, AXIS / 2);
		}
	}

	// Mark phases of the GC tint everything, stops of the world more strongly.
	bands() {
		const {s} = this, p = s.data.picture;
		if (!p) return;
		for (const b of p.bands || [{...p, first: 0, rows: 0}]) {
			const top = p.bands ? Math.max(this.head, this.y(b.first)) : AXIS, bottom = p.bands ? this.y(b.first + b.rows) : s.canvasHeight;
			if (bottom > top) this.band(p, b, top, bottom);
		}
	}

	band(p, b, top, bottom) {
		const {ctx, s} = this;
		for (const [shares, name, alpha] of [[b.gc, 'gc', 0.14], [b.stw, 'stw', 0.4]]) {
			ctx.fillStyle = s.colour.text[name];
			// In eight shades, and at whole pixels: a thousand rectangles of their own take too long.
			for (let c = 0; c < p.cols; c++) {
				const shade = shares[c] + 31 >> 5;
				if (!shade) continue;
				let end = c + 1;
				while (end < p.cols && shares[end] + 31 >> 5 === shade) end++;
				const x = Math.round(this.x(p.from + c * p.step)), w = Math.max(1, Math.round(this.x(p.from + end * p.step)) - x);
				ctx.globalAlpha = alpha * Math.max(0.3, shade / 8);
				ctx.fillRect(x, top, w, bottom - top);
				ctx.globalAlpha = 1;
				if (!p.bands) ctx.fillRect(x, AXIS - (name === 'stw' ? 7 : 4), w, 3);
				c = end - 1;
			}
		}
	}

	// Counters are drawn on an image once, which is stretched until newer ones are there: their outlines have
	// thousands of corners.
	tracks() {
		const {ctx, s} = this, at = s.data.tracks;
		for (let i = 0; i < s.tracks.length; i++) {
			ctx.fillStyle = s.colour.text.line;
			ctx.fillRect(GUTTER, AXIS + (i + 1) * TRACK - 2, s.width, 1);
		}
		if (!at || !s.tracks.length) return;
		if (at.drawn !== s.tracks || at.colour !== s.colour || at.dpr !== s.dpr) {
			const width = this.x(at.to) - this.x(at.from) > 2 * s.width ? s.width : Math.ceil(this.x(at.to) - this.x(at.from));
			at.image = new OffscreenCanvas(Math.max(1, width * s.dpr), s.tracks.length * TRACK * s.dpr);
			Object.assign(at, {drawn: s.tracks, colour: s.colour, dpr: s.dpr});
			const to = at.image.getContext('2d'), x = ns => (ns - at.from) / (at.to - at.from) * width;
			to.scale(s.dpr, s.dpr);
			s.tracks.forEach((t, i) => this.track(to, t, i * TRACK, x));
		}
		const from = Math.max(s.window.from, at.from), to = Math.min(s.window.to, at.to), k = at.image.width / (at.to - at.from);
		if (to > from) ctx.drawImage(at.image, (from - at.from) * k, 0, (to - from) * k, at.image.height, this.x(from), AXIS, this.x(to) - this.x(from), s.tracks.length * TRACK);
	}

	// A counter: its outline over a filled area, from 0 to its highest value on the screen.
	track(ctx, t, top, at) {
		const {s} = this, h = TRACK - 6, bottom = top + TRACK - 2;
		for (const [i, line] of t.lines.entries()) {
			let last = 0;
			ctx.beginPath();
			for (let k = 0; k < line.x.length; k++) {
				const x = at(line.x[k]), y = bottom - line.y[k] / t.high * h;
				if (!k) ctx.moveTo(x, y);
				else ctx.lineTo(x, last);
				ctx.lineTo(x, y);
				last = y;
			}
			ctx.strokeStyle = i ? s.colour.text.stw : s.colour.text.accent;
			ctx.setLineDash(i ? [4, 3] : []);
			ctx.stroke();
			ctx.setLineDash([]);
			if (i || !line.x.length) continue;
			ctx.lineTo(at(line.x[line.x.length - 1]), bottom);
			ctx.lineTo(at(line.x[0]), bottom);
			ctx.globalAlpha = 0.2;
			ctx.fillStyle = s.colour.text.accent;
			ctx.fill();
			ctx.globalAlpha = 1;
		}
	}

	// Draws the newest picture, and around it what the one of the whole run has.
	pictures(whole, newest) {
		const {s} = this, left = GUTTER, top = this.head, right = GUTTER + s.width, bottom = s.canvasHeight;
		if (newest) this.picture(newest, left, top, right, bottom);
		if (!whole || whole === newest) return;
		if (!newest || !newest.image) return this.picture(whole, left, top, right, bottom);
		const clamp = (v, low, high) => Math.max(low, Math.min(high, v));
		const x1 = clamp(this.x(newest.from), left, right), x2 = clamp(this.x(newest.to), left, right), y1 = clamp(this.y(newest.first), top, bottom), y2 = clamp(this.y(newest.first + newest.rows.length), top, bottom);
		this.picture(whole, left, top, right, y1);
		this.picture(whole, left, y2, right, bottom);
		this.picture(whole, left, y1, x1, y2);
		this.picture(whole, x2, y1, right, y2);
	}

	// Stretches a picture to the window, within a part of the canvas.
	picture(p, left, top, right, bottom) {
		const {ctx, s} = this, y = this.y(p.first), h = p.rows.length * ROW, from = Math.max(s.window.from, p.from), to = Math.min(s.window.to, p.to);
		if (!p.image || !h || to <= from || right <= left || bottom <= top || this.x(to) <= left || this.x(from) >= right || y >= bottom || y + h <= top) return;
		ctx.save();
		ctx.beginPath();
		ctx.rect(left, top, right - left, bottom - top);
		ctx.clip();
		ctx.imageSmoothingEnabled = false;
		// Only the part that is on the screen, as huge coordinates lose their precision.
		const k = p.image.width / (p.to - p.from);
		ctx.drawImage(p.image, (from - p.from) * k, 0, (to - from) * k, p.image.height, this.x(from), y, this.x(to) - this.x(from), h);
		ctx.restore();
	}

	// The line that heads the rows of a run: how long it lasts, and by which clock it is placed.
	headings(p) {
		const {ctx, s} = this;
		p.rows.forEach((row, i) => {
			if (!isHeading(row)) return;
			const part = s.parts.find(q => q.run.id === row[9]), y = this.y(p.first + i), from = Math.max(GUTTER, this.x(part ? part.shift : 0)), to = Math.min(GUTTER + s.width, this.x(part ? part.shift + part.run.duration_ns : 0));
			ctx.fillStyle = s.colour.text.line;
			ctx.fillRect(GUTTER, y, s.width, 1);
			if (to <= from) return;
			ctx.fillStyle = s.colour.text.field;
			ctx.fillRect(from, y + 2, to - from, ROW - 4);
			ctx.font = FONT;
			ctx.textAlign = 'left';
			ctx.fillStyle = s.colour.text.soft;
			if (to - from > 60) ctx.fillText(cut(ctx, row[10], to - from - 10, false), from + 5, y + ROW / 2);
		});
	}

	// The reason of long waits, the goroutine on a P or M.
	words(p) {
		const {ctx, s} = this, pixels = p.step / s.window.span * s.width;
		if (pixels * p.cols < 60) return;
		ctx.font = FONT;
		ctx.textAlign = 'left';
		for (let r = Math.max(0, s.top - p.first); r < p.rows.length && this.y(p.first + r) < s.canvasHeight; r++) {
			if (p.rows[r][0] === 0 && p.rows[r][7] > 1) continue;
			stretches(p, r, 56 / pixels, (c, n, state, reason) => {
				if (state > 3 || (s.search && !reason.toLowerCase().includes(s.search))) return;
				const from = Math.max(GUTTER, this.x(p.from + c * p.step)), to = Math.min(GUTTER + s.width, this.x(p.from + (c + n) * p.step));
				if (to - from < 56) return;
				const who = p.whose && p.names[p.whose[r * p.cols + c] - 1], text = cut(ctx, who ? 'g' + who.id + ' ' + who.name : state === 3 ? reason : STATES[state], to - from - 10, false);
				ctx.fillStyle = s.colour.ink['s' + state];
				if (text) ctx.fillText(text, from + 5, this.y(p.first + r) + 10);
			});
		}
	}

	range() {
		const {ctx, s} = this, [from, to] = s.dragged || [s.from, s.to];
		if (from === undefined && to === undefined) return;
		const a = from === undefined ? GUTTER : this.x(from), b = to === undefined ? GUTTER + s.width : this.x(to);
		ctx.fillStyle = s.colour.text.bg;
		ctx.globalAlpha = 0.55;
		ctx.fillRect(GUTTER, AXIS, a - GUTTER, s.canvasHeight);
		ctx.fillRect(b, AXIS, GUTTER + s.width - b, s.canvasHeight);
		ctx.globalAlpha = 1;
		ctx.fillStyle = s.colour.text.accent;
		ctx.fillRect(a - 1, AXIS, 2, s.canvasHeight);
		ctx.fillRect(b - 1, AXIS, 2, s.canvasHeight);
	}

	// The row of a goroutine: its own, else its group's; undefined if neither is known.
	rowOf(g) {
		const {places, parts, run} = this.s, tag = (parts.length > 1 ? run : '') + ' ', own = places.get(tag + 'g' + g.id);
		return own === undefined ? places.get(tag + g.name) : own;
	}

	arrow(x1, y1, x2, y2) {
		const {ctx} = this, down = Math.sign(y2 - y1) || 1;
		ctx.beginPath();
		ctx.moveTo(x1, y1);
		ctx.lineTo(x2, y2 - down * 5);
		ctx.stroke();
		ctx.beginPath();
		ctx.moveTo(x2, y2);
		ctx.lineTo(x2 - 4, y2 - down * 7);
		ctx.lineTo(x2 + 4, y2 - down * 7);
		ctx.fill();
	}

	// A white line under a coloured one is seen on every state.
	twice(draw) {
		const {ctx, s} = this;
		for (const [width, name] of [[4, 'bg'], [1.8, 'stw']]) {
			ctx.lineWidth = width;
			ctx.strokeStyle = ctx.fillStyle = s.colour.text[name];
			draw();
		}
		ctx.lineWidth = 1;
	}

	// Names a goroutine beside an arrow that comes from outside of the screen.
	named(g, x, y) {
		const {ctx, s} = this, text = cut(ctx, 'g' + g.id + (g.name ? ' ' + g.name : ''), 260, false), w = ctx.measureText(text).width, left = x + w + 14 > GUTTER + s.width ? x - w - 12 : x + 6;
		const ink = ctx.fillStyle;
		ctx.fillStyle = s.colour.text.bg;
		ctx.fillRect(left, y - 8, w + 6, 16);
		ctx.fillStyle = s.colour.text.fg;
		ctx.fillText(text, left + 3, y);
		ctx.fillStyle = ink;
	}

	chain(chain) {
		this.twice(() => {
			for (let i = 0; i + 1 < chain.links.length; i++) {
				const to = this.rowOf(chain.links[i].g), from = this.rowOf(chain.links[i + 1].g), x = this.x(chain.links[i].at);
				if (to === undefined || from === to || x < GUTTER || x > GUTTER + this.s.width) continue;
				// A waker whose row is not known yet stands at the lower edge, with its name.
				const edge = this.s.canvasHeight, y = from === undefined ? edge : this.y(from) + 10;
				this.arrow(x, y, x, this.y(to) + (from !== undefined && to > from ? 2 : 17));
				if (y < this.head || y >= edge) this.named(chain.links[i + 1].g, x, y < this.head ? this.head + 10 : edge - 10);
			}
		});
	}

	// A hop whose row is not on the screen runs along the edge behind which that is, with the goroutine's name.
	path(hops) {
		const {ctx, s} = this, top = this.head + 3, bottom = s.canvasHeight - 3, names = [];
		this.twice(() => {
			let before = null;
			names.length = 0;
			for (const h of hops) {
				if (h.to < s.window.from || h.from > s.window.to) {
					before = null;
					continue;
				}
				const row = this.rowOf(h.g), at = row === undefined ? Infinity : this.y(row) + 19.5, y = Math.max(top, Math.min(bottom, at));
				const x1 = Math.max(GUTTER - 5, this.x(h.from)), x2 = Math.min(GUTTER + s.width + 5, this.x(h.to));
				if (y !== at && x2 - x1 > 60) names.push([h.g, Math.max(GUTTER, x1), y === top ? top + 10 : bottom - 10]);
				if (before !== null && before !== y) {
					ctx.beginPath();
					ctx.moveTo(x1, before);
					ctx.lineTo(x1, y);
					ctx.stroke();
				}
				ctx.beginPath();
				ctx.moveTo(x1, y);
				ctx.lineTo(Math.max(x2, x1 + 1), y);
				ctx.stroke();
				before = y;
			}
		});
		ctx.font = FONT;
		ctx.textAlign = 'left';
		for (const name of names) this.named(...name);
	}

	cursor() {
		const {ctx, s} = this;
		if (s.row >= 0) {
			ctx.strokeStyle = s.colour.text.focus;
			ctx.strokeRect(GUTTER + 0.5, this.y(s.row) + 0.5, s.width - 1, ROW - 1);
		}
		if (s.at === undefined) return;
		const x = Math.round(this.x(s.at)) + 0.5;
		ctx.fillStyle = s.colour.text.fg;
		ctx.fillRect(x, 0, 1, s.canvasHeight);
	}

	// What the pointer is over, at the top left.
	readout() {
		const {ctx, s} = this, h = s.hover, p = s.data.picture;
		if (!h || !p || h.x < GUTTER) return;
		const row = h.rows ? p.rows[h.row - p.first] : null, cell = row && cellAt(p, h.row, h.ns), who = cell && cell.whose >= 0 && p.names[cell.whose];
		ctx.font = FONT;
		ctx.textAlign = 'left';
		ctx.fillStyle = s.colour.text.fg;
		ctx.fillText(cut(ctx, s.ticksOnly ? format('ns', Math.floor(h.ns), true) : exactTime(h.ns, s.window.span / s.width), 100, false), 8, AXIS / 2);
		if (!cell) return;
		ctx.fillStyle = s.colour.text.soft;
		ctx.fillText(cut(ctx, [cell.state, cell.reason, who ? 'g' + who.id : ''].filter(Boolean).join(', '), GUTTER - 118, false), 110, AXIS / 2);
	}

	gutter() {
		const {ctx, s} = this, p = s.data.picture;
		ctx.fillStyle = s.colour.text.line;
		ctx.fillRect(GUTTER - 1, 0, 1, s.canvasHeight);
		ctx.fillRect(0, this.head - 1, GUTTER + s.width, 1);
		ctx.textAlign = 'left';
		ctx.font = FONT;
		if (s.counters) s.tracks.forEach((t, i) => {
			ctx.fillStyle = s.colour.text.fg;
			ctx.fillText(t.title + (s.parts.length > 1 ? ', run ' + s.run : ''), 8, AXIS + i * TRACK + 11);
			ctx.fillStyle = s.colour.text.soft;
			if (t.high) ctx.fillText('at most ' + format(t.unit, t.unit === 'count' ? Math.round(t.high * 10) / 10 : t.high), 8, AXIS + i * TRACK + 24);
		});
		ctx.save();
		ctx.beginPath();
		ctx.rect(0, this.head, GUTTER - 1, s.canvasHeight);
		ctx.clip();
		for (let i = 0; p && i < p.rows.length; i++) this.label(p.rows[i], p.first + i);
		ctx.restore();
		this.scrollbar();
		this.readout();
	}

	label(row, at) {
		const {ctx, s} = this, y = this.y(at), indent = 8 + (row[0] === 0 || isHeading(row) ? 14 : row[3] * 22);
		if (y < this.head - ROW || y > s.canvasHeight) return;
		if (at === s.row) {
			ctx.fillStyle = s.colour.text.hit;
			ctx.fillRect(0, y, GUTTER - 1, ROW);
		}
		ctx.fillStyle = s.colour.text.fg;
		ctx.font = FONT;
		if (row[0] === 0 || isHeading(row)) ctx.fillText((isHeading(row) ? !row[1] : s.unfolded.has(s.folds(row))) ? '▾' : '▸', 6, y + 11);
		ctx.font = isHeading(row) ? 'bold ' + FONT : MONO;
		ctx.globalAlpha = s.search && !isHeading(row) && !row[8].toLowerCase().includes(s.search) ? 0.55 : 1;
		const [kind, , , , , , , n, name] = row, more = kind === 0 && n > 1 ? ' ×' + n : '', wide = more ? ctx.measureText(more).width : 0;
		const text = cut(ctx, kind === 0 ? name : rowName(row), GUTTER - 12 - indent - wide, true);
		ctx.fillText(text, indent, y + 11);
		if (more) {
			ctx.fillStyle = s.colour.text.soft;
			ctx.fillText(more, indent + ctx.measureText(text).width, y + 11);
		}
		ctx.globalAlpha = 1;
	}

	scrollbar() {
		const {ctx, s} = this, room = s.canvasHeight - this.head, all = s.total * ROW;
		if (all <= room) return;
		const h = Math.max(24, room * room / all), y = this.head + (room - h) * Math.min(1, s.top / Math.max(1, s.total - s.rows));
		ctx.fillStyle = s.colour.text.soft;
		ctx.globalAlpha = 0.6;
		ctx.fillRect(GUTTER + s.width - 6, y, 5, h);
		ctx.globalAlpha = 1;
	}
}
