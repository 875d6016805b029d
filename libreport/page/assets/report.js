// What a page can do with scripts: sort and filter tables, tell what is under the pointer on the
// heat map and the command for it, copy commands, give flame graphs the height they need. Without
// them everything is there to be read. Lines that begin with // do not reach the file.
'use strict';
(() => {
const make = (tag, attrs, ...kids) => {
	const e = document.createElement(tag);
	for (const k in attrs) e.setAttribute(k, attrs[k]);
	e.append(...kids);
	return e;
};
const all = (selector, root) => [...(root || document).querySelectorAll(selector)];

// ---- tables ----

const FIRST = 10;
function keyOf(cell) {
	if (!cell) return '';
	if (cell.dataset.v !== undefined) return Number(cell.dataset.v);
	return cell.textContent.trim().toLowerCase();
}
const isNumber = v => typeof v === 'number';
function compare(a, b) {
	if (isNumber(a) !== isNumber(b)) return isNumber(a) ? -1 : 1;
	return a < b ? -1 : a > b ? 1 : 0;
}
function enhance(table) {
	const body = table.tBodies[0], rows = [...body.rows], heads = [...table.tHead.rows[0].cells];
	const texts = rows.map(r => r.textContent.toLowerCase());
	rows.forEach((r, i) => { r.at = i; });
	let open = rows.length <= FIRST + 5, words = [], order = rows;

	const input = make('input', {type: 'search', placeholder: 'filter rows', 'aria-label': 'filter the rows of ' + table.caption.textContent, spellcheck: 'false', autocomplete: 'off'});
	const more = make('button', {type: 'button'}), told = make('span', {role: 'status'});
	const tools = make('div', {'class': 'tools'}, input, more, told);
	if (rows.length > 3) table.closest('.scroll').before(tools);

	function show() {
		let n = 0;
		for (const r of order) {
			const match = words.every(w => texts[r.at].includes(w));
			r.hidden = !match || (!open && n >= FIRST);
			if (match) n++;
		}
		const left = n - FIRST;
		more.hidden = rows.length <= FIRST + 5 || (left <= 0 && !open);
		more.textContent = open ? 'show the first ' + FIRST : 'show ' + left + ' more';
		told.textContent = words.length ? n + ' of ' + rows.length + ' rows match' : '';
	}
	function sort(column, down) {
		order = rows.slice().sort((a, b) => {
			const x = keyOf(a.cells[column]), y = keyOf(b.cells[column]), c = compare(x, y);
			return (down && isNumber(x) === isNumber(y) ? -c : c) || a.at - b.at;
		});
		body.append(...order);
		heads.forEach((h, i) => h.setAttribute('aria-sort', i === column ? (down ? 'descending' : 'ascending') : 'none'));
		show();
	}
	heads.forEach((h, i) => {
		const b = make('button', {type: 'button', title: 'sort by ' + h.textContent.toLowerCase()}, h.textContent);
		h.replaceChildren(b);
		h.setAttribute('aria-sort', 'none');
		b.addEventListener('click', () => {
			const now = h.getAttribute('aria-sort');
			sort(i, now === 'none' ? h.classList.contains('n') : now === 'ascending');
		});
	});
	input.addEventListener('input', () => {
		words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
		show();
	});
	input.addEventListener('keydown', e => {
		if (e.key !== 'Escape') return;
		input.value = '';
		words = [];
		show();
	});
	more.addEventListener('click', () => {
		open = !open;
		show();
	});
	show();
}
all('table.data').forEach(enhance);

// ---- commands ----

function copyButton(text) {
	const b = make('button', {type: 'button', 'class': 'copy', 'aria-label': 'copy the command'}, 'copy');
	b.addEventListener('click', async () => {
		try {
			await navigator.clipboard.writeText(text());
			b.textContent = 'copied';
		} catch (e) {
			b.textContent = 'not allowed here';
		}
		setTimeout(() => { b.textContent = 'copy'; }, 1500);
	});
	return b;
}
all('code.cmd').forEach(c => c.after(copyButton(() => c.textContent)));

// ---- the heat map ----

const SVG = 'http://www.w3.org/2000/svg';
function duration(ns, step, ticks) {
	if (ticks) return String(Math.round(ns));
	const unit = step >= 1e7 ? [1e9, 's'] : step >= 1e4 ? [1e6, 'ms'] : step >= 10 ? [1e3, 'us'] : [1, 'ns'];
	return String(Number((ns / unit[0]).toFixed(unit[0] === 1 ? 0 : 3))) + unit[1];
}
function heat(svg) {
	const d = svg.dataset, num = k => Number(d[k]);
	const left = num('left'), right = num('right'), top = num('top'), row = num('row'), gap = num('gap'), extra = num('extra');
	const rows = num('rows'), bins = num('bins'), whole = num('ns'), names = d.names.split('|');
	const readout = svg.closest('section').querySelector('.readout');
	const cursor = document.createElementNS(SVG, 'rect'), span = document.createElementNS(SVG, 'rect');
	const at = {row: extra, from: 0, to: 0};
	let drag = -1;
	cursor.setAttribute('class', 'cursor');
	span.setAttribute('class', 'span');
	svg.setAttribute('tabindex', 0);
	svg.setAttribute('role', 'application');
	svg.setAttribute('aria-roledescription', 'heat map; arrows move, shift and arrows mark a time range');

	const rowY = r => top + r * row + (r >= extra ? gap : 0);
	const share = (r, b) => {
		const v = parseInt(d.shares.substr(2 * (r * bins + b), 2), 16);
		return v === 255 ? NaN : v / 250;
	};
	function percent(v) {
		return isNaN(v) ? 'unknown' : v > 0 && v < 0.005 ? 'less than 1 %' : Math.round(v * 100) + ' %';
	}
	function place(e) {
		const m = svg.getScreenCTM().inverse(), x = m.a * e.clientX + m.e, y = m.d * e.clientY + m.f;
		let r = Math.floor((y - top) / row);
		if (r >= extra) r = Math.max(extra, Math.floor((y - top - gap) / row));
		return [Math.min(Math.max(r, 0), rows - 1), Math.min(Math.max(Math.floor((x - left) / (right - left) * bins), 0), bins - 1)];
	}
	function show() {
		const a = Math.min(at.from, at.to), z = Math.max(at.from, at.to), w = (right - left) / bins;
		let sum = 0, n = 0;
		for (let b = a; b <= z; b++) {
			const v = share(at.row, b);
			if (!isNaN(v)) { sum += v; n++; }
		}
		for (const [e, x, y, width, height] of [[span, left + a * w, top, (z - a + 1) * w, rowY(rows) - top],
			[cursor, left + a * w, rowY(at.row), (z - a + 1) * w, row - 1]]) {
			e.setAttribute('x', x);
			e.setAttribute('y', y);
			e.setAttribute('width', width);
			e.setAttribute('height', height);
			svg.append(e);
		}
		const from = duration(whole * a / bins, whole / bins, d.ticks === '1'), to = duration(whole * (z + 1) / bins, whole / bins, d.ticks === '1');
		const text = d.command + ' --from=' + from + ' --to=' + to;
		const name = names[at.row];
		readout.hidden = false;
		readout.replaceChildren(make('span', {}, name + (at.row < extra ? ', ' : ' busy, ') + from + ' to ' + to + ': ', make('b', {}, percent(n ? sum / n : NaN))), make('code', {'class': 'cmd'}, text), copyButton(() => text));
	}
	svg.addEventListener('pointerdown', e => {
		const [r, b] = place(e);
		at.row = r;
		drag = b;
		at.from = at.to = b;
		svg.setPointerCapture(e.pointerId);
		show();
	});
	svg.addEventListener('pointermove', e => {
		if (drag < 0) return;
		at.to = place(e)[1];
		show();
	});
	for (const end of ['pointerup', 'pointercancel']) svg.addEventListener(end, () => { drag = -1; });
	svg.addEventListener('keydown', e => {
		const big = e.ctrlKey ? 10 : 1, step = {ArrowLeft: -big, ArrowRight: big}[e.key], up = {ArrowUp: -1, ArrowDown: 1}[e.key];
		if (step) {
			at.to = Math.min(Math.max(at.to + step, 0), bins - 1);
			if (!e.shiftKey) at.from = at.to;
		} else if (up) {
			at.row = Math.min(Math.max(at.row + up, 0), rows - 1);
		} else if (e.key === 'Home' || e.key === 'End') {
			at.to = e.key === 'Home' ? 0 : bins - 1;
			if (!e.shiftKey) at.from = at.to;
		} else if (e.key !== 'Enter' && e.key !== ' ') {
			return;
		}
		e.preventDefault();
		show();
	});
}
all('svg.heat[data-bins]').forEach(heat);

// ---- flame graphs ----

all('iframe.flame').forEach(frame => {
	const fit = () => {
		const doc = frame.contentDocument, head = doc && doc.querySelector('header'), main = doc && doc.querySelector('main');
		if (!main) return;
		frame.style.height = Math.min(head.offsetHeight + main.offsetHeight + 4, 900) + 'px';
	};
	const watch = () => {
		const doc = frame.contentDocument, main = doc && doc.querySelector('main');
		if (!main) return;
		new ResizeObserver(fit).observe(main);
		fit();
	};
	frame.addEventListener('load', watch);
	watch();
});

// ---- where one is ----

const links = new Map(all('nav a').map(a => [a.hash.slice(1), a]));
const seen = new Set();
const watcher = new IntersectionObserver(entries => {
	for (const e of entries) seen[e.isIntersecting ? 'add' : 'delete'](e.target.id);
	const first = [...links.keys()].find(id => seen.has(id));
	for (const [id, a] of links) a.setAttribute('aria-current', id === first ? 'true' : 'false');
}, {rootMargin: '-60px 0px -50% 0px'});
all('main > section').forEach(s => watcher.observe(s));
document.documentElement.dataset.ready = 'yes';
})();
