// Mouse, touch and keys of the timeline.
import {GUTTER} from './draw.js';
import {ROW} from './picture.js';

const MOVED = 4; // pixels from which on a press is a drag

// Starts listening. Returns functions that end it.
export function listen(t) {
	const pointers = new Map(), ends = [];
	let begin = null, pinch = 0;
	const on = (target, type, fn, options) => {
		target.addEventListener(type, fn, options);
		ends.push(() => target.removeEventListener(type, fn, options));
	};
	const place = e => {
		const box = t.canvas.getBoundingClientRect(), x = e.clientX - box.left, y = e.clientY - box.top;
		return {x, y, ns: t.window ? t.window.from + (x - GUTTER) / t.width * t.window.span : 0, row: t.top + Math.floor((y - t.frame.head) / ROW), rows: y >= t.frame.head};
	};
	const perPixel = () => t.window.span / t.width;
	const spread = () => {
		const [a, b] = [...pointers.values()];
		return Math.max(10, Math.abs(a.x - b.x));
	};

	on(t.canvas, 'wheel', e => {
		if (!t.window) return;
		e.preventDefault();
		const p = place(e), unit = e.deltaMode === 1 ? 16 : e.deltaMode === 2 ? 400 : 1, dx = e.deltaX * unit, dy = e.deltaY * unit;
		if (e.shiftKey || (p.x < GUTTER && !e.ctrlKey)) scroll(t, dy || dx);
		else if (Math.abs(dx) > Math.abs(dy)) t.pan(dx / t.width);
		else t.zoom(Math.exp(Math.max(-200, Math.min(200, dy)) * (e.ctrlKey ? 0.01 : 0.002)), p.ns);
	}, {passive: false});

	on(t.canvas, 'pointerdown', e => {
		if (!t.window || e.button) return;
		const p = place(e);
		pointers.set(e.pointerId, p);
		t.canvas.setPointerCapture(e.pointerId);
		begin = {...p, from: t.window.from, top: t.top, drag: false, range: e.shiftKey && p.x >= GUTTER};
		if (pointers.size === 2) pinch = spread();
	});

	on(t.canvas, 'pointermove', e => {
		if (!t.window) return;
		const p = place(e);
		t.hover = p;
		if (!pointers.has(e.pointerId)) return t.redraw();
		pointers.set(e.pointerId, p);
		if (pointers.size === 2) {
			const now = spread();
			t.zoom(pinch / now, p.ns);
			pinch = now;
			begin.drag = true;
			return;
		}
		begin.drag = begin.drag || Math.abs(p.x - begin.x) > MOVED || Math.abs(p.y - begin.y) > MOVED;
		if (!begin.drag) return;
		if (begin.range) {
			t.dragged = [Math.min(begin.ns, p.ns), Math.max(begin.ns, p.ns)];
			t.redraw();
			return;
		}
		if (begin.x >= GUTTER) t.window.pan(begin.from - (p.x - begin.x) * perPixel() - t.window.from);
		t.top = begin.top - Math.round((p.y - begin.y) / ROW);
		t.moved();
	});

	on(t.canvas, 'pointerup', e => {
		const p = place(e), was = begin;
		if (!pointers.delete(e.pointerId) || !was) return;
		if (pointers.size) return;
		begin = null;
		if (t.dragged) {
			const [from, to] = t.dragged.map(v => Math.max(0, Math.min(t.app.run().duration_ns, Math.round(v))));
			t.dragged = null;
			if (to > from) t.app.select({from, to});
			t.redraw();
		} else if (!was.drag && p.rows && p.row < t.total) {
			click(t, p, perPixel());
		}
	});
	on(t.canvas, 'pointercancel', e => {
		pointers.delete(e.pointerId);
		begin = t.dragged = null;
	});
	on(t.canvas, 'pointerleave', () => {
		t.hover = null;
		t.redraw();
	});
	on(t.canvas, 'dblclick', e => {
		if (place(e).x >= GUTTER) t.zoom(0.25, place(e).ns);
	});
	on(t.below, 'pointermove', e => {
		const frame = t.stacks.at(e.offsetX, e.offsetY, GUTTER, t.width);
		t.below.title = frame ? frame.name : '';
	});
	on(t.below, 'click', e => {
		const frame = t.stacks.at(e.offsetX, e.offsetY, GUTTER, t.width);
		if (frame) t.app.go('flame', {focus: frame.name, 'flame.view': frame.cpu ? 'cpu' : 'offcpu'});
	});
	on(document, 'keydown', e => {
		if (e.defaultPrevented || e.ctrlKey || e.metaKey || e.altKey || !t.window || document.querySelector('dialog[open]')) return;
		if (e.target.closest('input,textarea,select') || ((e.key === 'Enter' || e.key === ' ') && e.target.closest('button,a,summary'))) return;
		if (e.target.closest('aside') && /^(Arrow|Page|Home|End)/.test(e.key)) return; // it scrolls
		if (!press(t, e)) return;
		e.preventDefault();
		e.stopPropagation();
	});
	return ends;
}

function scroll(t, pixels) {
	t.scrolled = (t.scrolled || 0) + pixels;
	const rows = Math.trunc(t.scrolled / ROW);
	t.scrolled -= rows * ROW;
	t.top += rows;
	t.moved();
}

function click(t, p, step) {
	t.canvas.focus({preventScroll: true});
	if (p.x >= GUTTER) t.cursorTo(p.row, p.ns, step);
	else {
		t.row = p.row;
		t.enter(p.row);
	}
}

const around = t => t.hover && t.hover.x >= GUTTER ? t.hover.ns : undefined;

const move = (t, e, by) => {
	const step = t.window.span / t.width * (e.shiftKey ? 100 : 10), at = Math.max(t.window.begin, Math.min(t.window.end, (t.at === undefined ? t.middle() : t.at) + by * Math.max(1, step)));
	t.window.reveal(at);
	t.moved();
	t.cursorTo(Math.max(0, t.row), at, step / 10);
};

const KEYS = {
	w: t => t.zoom(0.7, around(t)), s: t => t.zoom(1 / 0.7, around(t)), '+': t => t.zoom(0.7), '=': t => t.zoom(0.7), '-': t => t.zoom(1 / 0.7),
	a: t => t.pan(-0.12), d: t => t.pan(0.12), ArrowLeft: (t, e) => move(t, e, -1), ArrowRight: (t, e) => move(t, e, 1),
	ArrowUp: t => t.moveRow(-1), ArrowDown: t => t.moveRow(1), PageUp: t => t.moveRow(-t.rows), PageDown: t => t.moveRow(t.rows),
	Home: t => t.pan(-1e9), End: t => t.pan(1e9), f: t => t.whole(), z: t => t.zoomToRange(),
	m: t => t.moment && t.moment.g && t.app.select({from: t.moment.start, to: t.moment.end}),
	Enter: t => t.enter(t.row), '[': t => t.nextSpan(-1), ']': t => t.nextSpan(1), u: t => t.follow(), n: t => t.find(false), N: t => t.find(true), p: t => t.togglePath(),
	t: t => {
		t.counters = !t.counters;
		t.fit();
		t.moved();
	},
};

function press(t, e) {
	const key = KEYS[e.key];
	if (key) key(t, e);
	return Boolean(key);
}
