// The heat map: how busy each P was over time, below the collector's phases. A cell leads to its time.
import {el, svg, format} from '../dom.js';
import {lanes} from '../ask.js';
import {parse} from '../timeline/picture.js';
import {ticks, exactTime} from '../timeline/window.js';

const COLS = 120, LEFT = 64, WIDTH = 1140, MOST = 128, SHADES = 8;
const EXACT = 3e6; // events up to which each column has sums of its own; else those of whole segments

// Rectangles of one shade are one shape: [[shade, path], …].
function shapes(shares, y, height, x) {
	const paths = new Map();
	for (let c = 0; c < shares.length;) {
		const shade = Math.ceil(shares[c] / 255 * SHADES);
		let end = c + 1;
		while (end < shares.length && Math.ceil(shares[end] / 255 * SHADES) === shade) end++;
		if (shade) paths.set(shade, (paths.get(shade) || '') + 'M' + x(c) + ' ' + y + 'H' + x(end) + 'v' + height + 'H' + x(c) + 'z');
		c = end;
	}
	return [...paths];
}

export async function heat(app, signal) {
	const run = app.run(), {from = 0, to = run.duration_ns} = app.selection, step = Math.max(1, Math.ceil((to - from) / COLS)), cols = Math.max(1, Math.min(COLS, Math.ceil((to - from) / step)));
	if (!(to > from)) return [];
	const p = parse(await lanes('cells', {run: run.id, kind: 'procs', from, step, cols, first: 0, rows: MOST, coarse: run.events > EXACT ? 1 : 0}, signal));
	if (!p.rows.length) return [];
	const bands = [['GC mark', p.gc], ['stopped', p.stw]].filter(([, shares]) => shares.some(Boolean)).map(([name, shares]) => ({name, shares, band: name === 'stopped' ? 'stw' : 'gc'}));
	const list = [...bands, ...p.rows.map((row, r) => ({name: 'P ' + row[2], shares: Uint8Array.from({length: cols}, (_, c) => p.cell[(r * cols + c) * 8])}))];
	const height = list.length <= 20 ? 16 : list.length <= 50 ? 10 : 5, every = Math.ceil(11 / height), x = c => LEFT + c * (WIDTH - LEFT) / cols, bottom = list.length * height;
	const map = svg('svg', {viewBox: '0 0 ' + WIDTH + ' ' + (bottom + 20), role: 'img', 'aria-label': 'How busy each P was over time; the report procs has the sums', class: 'heat'},
		list.map(({name, shares, band}, i) => [i % every === 0 && svg('text', {x: LEFT - 6, y: i * height + height / 2 + 4, 'text-anchor': 'end'}, name),
			shapes(shares, i * height, height - 1, x).map(([shade, d]) => svg('path', {d, class: band || 's0', 'fill-opacity': shade / SHADES}))]),
		ticks({from, span: to - from, to}, WIDTH - LEFT, 110, run.ticks ? ns => format('ns', ns, true) : exactTime).map(t => [LEFT + (t.ns - from) / (to - from) * (WIDTH - LEFT), t.text]).filter(([at]) => at < WIDTH - 50).map(([at, text]) => svg('text', {x: at, y: bottom + 15}, text)));
	const place = e => {
		const box = map.getBoundingClientRect(), c = Math.floor(((e.clientX - box.left) / box.width * WIDTH - LEFT) / (WIDTH - LEFT) * cols), r = Math.floor((e.clientY - box.top) / box.width * WIDTH / height);
		return c >= 0 && c < cols && r >= 0 && r < list.length ? {row: list[r], share: list[r].shares[c], at: from + c * step} : null;
	};
	const said = el('span', {class: 'soft'}, 'a stronger colour is busier; a click opens the timeline there');
	map.addEventListener('pointermove', e => {
		const at = place(e);
		if (at) said.textContent = at.row.name + ', ' + format('ns', at.at, run.ticks) + ': ' + Math.round(at.share / 2.55) + ' %';
	});
	map.addEventListener('click', e => {
		const at = place(e);
		if (at) app.go('timeline', {'timeline.rows': 'procs', 'timeline.from': Math.max(0, at.at - 2 * step), 'timeline.to': at.at + 3 * step, at: at.at + Math.floor(step / 2)});
	});
	return [el('h2', null, 'How busy the Ps were'), el('p', {class: 'note'}, said), map];
}
