// A chart of a few lines, or of bars, for series of runs and for results of SQL.
import {el, svg} from './dom.js';

const WIDTH = 900, HEIGHT = 270, LEFT = 86, RIGHT = 56, TOP = 10, BOTTOM = 30;
const WIDEST = 90; // a bar
const SLANTED = 40; // bars that are all labelled, if not in a row
export const MOST_LINES = 6;

// Returns round numbers from below `low` to above `high`, about four.
function ticks(low, high, binary) {
	const raw = (high - low) / 4, base = binary ? 2 ** Math.floor(Math.log2(raw)) : 10 ** Math.floor(Math.log10(raw));
	const step = base * (binary ? [1, 2] : [1, 2, 5, 10]).find(f => f * base >= raw * 0.999), out = [];
	for (let v = Math.floor(low / step + 1e-9) * step; out.length < 12; v += step) {
		out.push(v);
		if (v >= high - step * 1e-9) break;
	}
	return out;
}

// Lines differ in shape as well, for those who cannot tell the colours apart.
function marker(i, x, y, attrs, ...kids) {
	const d = [
		`M${x - 4} ${y}a4 4 0 1 0 8 0a4 4 0 1 0 -8 0`, `M${x - 3.5} ${y - 3.5}h7v7h-7z`, `M${x} ${y - 4.5}l4.5 8h-9z`,
		`M${x} ${y - 5}l5 5l-5 5l-5 -5z`, `M${x} ${y + 4.5}l4.5 -8h-9z`, `M${x - 4.5} ${y - 2}h9v4h-9z`
	][i % MOST_LINES];
	return svg('path', {class: 'l' + i % MOST_LINES, d, ...attrs}, ...kids);
}

function limits(lines, bars) {
	let low = Infinity, high = -Infinity;
	for (const v of lines.flatMap(l => l.y)) {
		if (v === null) continue;
		low = Math.min(low, v);
		high = Math.max(high, v);
	}
	if (bars || (low > 0 && low < high / 2)) low = Math.min(low, 0); // a short way to 0 is worth showing
	if (bars) high = Math.max(high, 0);
	return low === high ? [Math.min(low, 0), Math.max(high, 0) || 1] : [low, high];
}

// The labels of the x axis that fit; those in between are left out. `slanted` ones need a line's height each.
function names(labels, at, slanted) {
	const step = slanted ? 1 : Math.ceil(labels.length / 8), y = HEIGHT - (slanted ? 16 : 10),
		room = Math.max(15, Math.floor((WIDTH - LEFT - RIGHT) / labels.length / 8));
	return labels.map((text, i) => i % step === 0 && svg('text',
		{x: at(i), y, 'text-anchor': slanted ? 'end' : 'middle', transform: slanted && `rotate(-35 ${at(i)} ${y})`},
		text.length > room ? text.slice(0, room - 1) + '…' : text, svg('title', null, text)));
}

function curve(y, at, up) {
	let d = '';
	y.forEach((v, i) => { if (v !== null) d += (d && y[i - 1] !== null ? 'L' : 'M') + at(i) + ' ' + up(v); });
	return d;
}

// Returns a figure.
//   lines     [{name, y: [number or null, …]}], MOST_LINES at most
//   labels    texts for the places of the x axis
//   text(v)   a value as tables show it
//   title     what the picture shows, for those who do not see it
//   bars      bars in place of lines, those of a label side by side
//   binary    steps of the y axis are powers of two
//   act(i)    what a click on a point does
export function chart({lines, labels, text, title, bars, binary, act}) {
	const n = labels.length, slanted = bars && n > 8 && n <= SLANTED, [low, high] = limits(lines, bars),
		marks = ticks(low, high, binary), bottom = Math.min(low, marks[0]), top = marks[marks.length - 1];
	const wide = WIDTH - LEFT - RIGHT, up = v => +(TOP + (top - v) / (top - bottom) * (HEIGHT - TOP - BOTTOM)).toFixed(1);
	const at = i => +(bars ? LEFT + (i + 0.5) * wide / n : n > 1 ? LEFT + i * wide / (n - 1) : LEFT + wide / 2).toFixed(1);
	const point = (line, k, v, i) => {
		const told = svg('title', null, labels[i] + ': ' + text(v) + (lines.length > 1 ? ', ' + line.name : ''));
		const attrs = act ? {click: () => act(i), cursor: 'pointer'} : null;
		if (!bars) return marker(k, at(i), up(v), attrs, told);
		const size = Math.max(Math.min(wide / n * 0.7 / lines.length, WIDEST), 1), x = at(i) + (k - lines.length / 2) * size;
		return svg('rect',
			{class: 'l' + k % MOST_LINES, x, width: size, y: Math.min(up(v), up(0)), height: Math.abs(up(v) - up(0)), ...attrs},
			told);
	};
	return el('figure', {class: 'chart'},
		lines.length > 1 &&
			el('p', {class: 'legend'},
				lines.map((l, k) => el('span', null,
					svg('svg', {width: 14, height: 12, 'aria-hidden': 'true'},
						bars ? svg('rect', {class: 'l' + k % MOST_LINES, width: 14, height: 12}) : marker(k, 7, 6)),
					l.name))),
		svg('svg', {viewBox: `0 0 ${WIDTH} ${HEIGHT + (slanted ? 50 : 0)}`, role: 'img', 'aria-label': title},
			marks.map(v => [svg('path', {class: 'grid', d: `M${LEFT} ${up(v)}H${WIDTH - RIGHT}`}),
				svg('text', {x: LEFT - 8, y: up(v) + 4, 'text-anchor': 'end'}, text(v))]),
			names(labels, at, slanted),
			!bars && lines.map((l, k) => svg('path', {class: 'line l' + k % MOST_LINES, d: curve(l.y, at, up)})),
			lines.map((l, k) => l.y.map((v, i) => v !== null && point(l, k, v, i)))));
}
