// The stacks of one goroutine over time, as nested frames: where it blocked, and what the CPU profiler saw.
import {lanes} from '../ask.js';

const LINE = 16, MOST_LINES = 60, SAMPLE_NS = 1e7;
const FONT = '11.5px ui-monospace,"SF Mono",Menlo,Consolas,"DejaVu Sans Mono",monospace';

// Returns frames [{from, to, depth, name, cpu}] of an answer, one for calls that go on from span to span.
function frames(answer) {
	const out = [], parts = answer.spans.filter(s => s[3]).map(s => ({from: s[0], to: s[1], stack: s[3], cpu: false}));
	answer.samples.forEach(([ns, stack], i) => {
		const next = answer.samples[i + 1];
		if (stack) parts.push({from: ns, to: Math.min(ns + SAMPLE_NS, next ? next[0] : Infinity), stack, cpu: true});
	});
	parts.sort((a, b) => a.from - b.from);
	let open = [];
	for (const part of parts) {
		const functions = answer.stacks[part.stack];
		let same = 0;
		while (same < functions.length && open[same] && open[same].f === functions[same] && open[same].cpu === part.cpu && open[same].to >= part.from) same++;
		open = open.slice(0, same);
		for (const f of open) f.to = Math.max(f.to, part.to);
		for (let d = same; d < functions.length; d++) {
			open.push({from: part.from, to: part.to, depth: d, f: functions[d], name: answer.functions[functions[d]], cpu: part.cpu});
			out.push(open[d]);
		}
	}
	return out;
}

export class Stacks {
	constructor(canvas, s) {
		Object.assign(this, {canvas, s, ctx: canvas.getContext('2d', {alpha: false}), goroutine: null, frames: [], more: false, key: ''});
	}

	// Asks for the stacks of a goroutine in the window; nothing if they are there.
	async want(goroutine, params, signal) {
		const {window} = this.s, from = Math.floor(window.from), to = Math.ceil(window.to), key = [goroutine, from, to].join();
		if (key === this.key) return false;
		const answer = await lanes('stacks', {...params, g: goroutine, from, to}, signal);
		Object.assign(this, {key, goroutine, frames: frames(answer), more: answer.more});
		this.depth = Math.min(MOST_LINES, Math.max(1, ...this.frames.map(f => f.depth + 1)));
		return true;
	}

	get height() {
		return (this.depth || 1) * LINE + 4;
	}

	// `left` and `width` are those of the rows' picture.
	draw(left, width) {
		const {ctx, s} = this, {window, colour, dpr} = s, x = ns => left + (ns - window.from) / window.span * width;
		ctx.setTransform(dpr, 0, 0, dpr, 0, 0);
		ctx.fillStyle = colour.text.bg;
		ctx.fillRect(0, 0, left + width, this.height);
		ctx.font = FONT;
		ctx.textBaseline = 'middle';
		ctx.fillStyle = colour.text.soft;
		ctx.fillText(this.more ? 'stacks: zoom in for all' : this.frames.length ? 'stacks over time' : 'no stacks here', 8, 10);
		ctx.save();
		ctx.beginPath();
		ctx.rect(left, 0, width, this.height);
		ctx.clip();
		let filled = [];
		for (const f of this.frames) {
			const a = Math.max(left, x(f.from)), b = Math.min(left + width, x(f.to)), y = 2 + f.depth * LINE;
			if (b < left || a > left + width || f.depth >= MOST_LINES) continue;
			// Of many in one pixel, one is enough.
			if (b - a < 1 && filled[f.depth] === Math.floor(a)) continue;
			filled[f.depth] = Math.floor(b);
			ctx.globalAlpha = s.search && !f.name.toLowerCase().includes(s.search) ? 0.3 : 1;
			ctx.fillStyle = f.cpu ? colour.text.s0 : colour.text.s3;
			ctx.fillRect(a, y, Math.max(1, b - a - (b - a > 4 ? 1 : 0)), LINE - 1);
			if (b - a < 40) continue;
			ctx.fillStyle = f.cpu ? colour.ink.s0 : colour.ink.s3;
			ctx.save();
			ctx.beginPath();
			ctx.rect(a, y, b - a - 3, LINE);
			ctx.clip();
			ctx.fillText(f.name.slice(0, Math.ceil((b - a) / 6)), a + 4, y + 8);
			ctx.restore();
		}
		ctx.restore();
	}

	// Returns the frame at a place of the canvas.
	at(px, py, left, width) {
		const {window} = this.s, ns = window.from + (px - left) / width * window.span, depth = Math.floor((py - 2) / LINE);
		return this.frames.find(f => f.depth === depth && f.from <= ns && ns < f.to) || null;
	}
}
