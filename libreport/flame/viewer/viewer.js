// The living part of a flame graph: zoom, search, tooltips, keyboard, themes. It draws from the data
// in the file whatever is wide enough to be seen, so that zooming shows what the still picture could
// not. Lines that begin with // do not reach the file.
'use strict';
const SVG = 'http://www.w3.org/2000/svg', XHTML = 'http://www.w3.org/1999/xhtml';
const ROW = 18, PAD = 10, LEAST = 0.4;
const root = document.documentElement;
const inPage = root.localName === 'html';
// Where the picture is: alone in its file, or in an element of a page that opens one after the other.
const alone = {
	host: document,
	read: () => location.hash.slice(1),
	write(text) {
		try {
			history.replaceState(null, '', text ? '#' + text : location.pathname + location.search);
		} catch (e) { /* some places have no address */ }
	},
};
let data, tree, place = alone;
const byId = id => place.host.querySelector('#' + id);

function make(ns, tag, attrs, text) {
	const e = document.createElementNS(ns, tag);
	for (const k in attrs) e.setAttribute(k, attrs[k]);
	if (text !== undefined) e.textContent = text;
	return e;
}
const html = (tag, attrs, text) => make(XHTML, tag, attrs, text);
const svg = (tag, attrs, text) => make(SVG, tag, attrs, text);

// ---- numbers ----

function three(v, unit) {
	const a = Math.abs(v);
	return String(Number(v.toFixed(a >= 100 ? 0 : a >= 10 ? 1 : 2))) + unit;
}
function clock(big, b, small, s) {
	return big + b + String(small).padStart(2, '0') + s;
}
function duration(ns) {
	const a = Math.abs(ns), sign = ns < 0 ? '-' : '';
	if (a < 999.5) return sign + Math.round(a) + 'ns';
	if (a < 999500) return sign + three(a / 1e3, 'us');
	if (a < 999.5e6) return sign + three(a / 1e6, 'ms');
	const s = Math.round(a / 1e9), m = Math.round(a / 60e9), h = Math.round(a / 3600e9);
	if (a < 59.95e9) return sign + three(a / 1e9, 's');
	if (s < 3600) return sign + clock(Math.floor(s / 60), 'm', s % 60, 's');
	if (m < 1440) return sign + clock(Math.floor(m / 60), 'h', m % 60, 'm');
	return sign + clock(Math.floor(h / 24), 'd', h % 24, 'h');
}
function size(bytes) {
	const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'];
	let u = 0, v = bytes;
	while (Math.abs(v) >= (u ? 999.5 : 1024) && u < 6) { v /= 1024; u++; }
	return three(v, units[u]);
}
const thousands = v => String(v).replace(/\B(?=(\d{3})+(?!\d))/g, ',');
// v is a BigInt: sums are exact.
// "1 sample", of "samples".
const one = (v, noun) => (v === 1n || v === -1n) && /[^s]s$/.test(noun) && noun.length > 2 ? noun.slice(0, -1) : noun;
function human(v) {
	const n = Number(v) * data.scale;
	return data.kind === 'time' ? duration(n) : data.kind === 'size' ? size(n) : thousands(v) + (data.noun ? ' ' + one(v, data.noun) : '');
}
const exact = v => thousands(v) + ' ' + (data.kind === 'count' ? one(v, data.noun || data.unit) : data.noun || data.unit);
function percent(part, whole) {
	const p = Number(whole) ? 100 * Number(part) / Number(whole) : 0, a = Math.abs(p);
	if (a < 0.0005) return '0%';
	return (a >= 99.95 ? p.toFixed(0) : a >= 9.95 ? p.toFixed(1) : a >= 0.095 ? p.toFixed(2) : p.toPrecision(1)) + '%';
}
const signed = (v, text) => (v > 0 ? '+' : '') + text;

// ---- trees ----

// Columns of frames in depth-first order: name, parent, depth; own weight; self new and old; step of
// a difference. The rest is worked out here.
class Tree {
	constructor(rows) {
		const n = this.n = rows.name.length;
		Object.assign(this, rows);
		this.w = Float64Array.from(this.own);
		this.x = new Float64Array(n);
		this.end = new Int32Array(n);
		this.total = [BigInt64Array.from(this.self[0]), BigInt64Array.from(this.self[1])];
		this.levels = 0;
		for (let i = n - 1; i >= 0; i--) {
			this.end[i] = Math.max(this.end[i], i + 1);
			this.levels = Math.max(this.levels, this.depth[i] + 1);
			if (!i) break;
			const p = this.parent[i];
			this.w[p] += this.w[i];
			this.total[0][p] += this.total[0][i];
			this.total[1][p] += this.total[1][i];
			this.end[p] = Math.max(this.end[p], this.end[i]);
		}
		const used = new Float64Array(n);
		for (let i = 1; i < n; i++) {
			const p = this.parent[i];
			this.x[i] = this.x[p] + used[p];
			used[p] += this.w[i];
		}
	}
	children(i) {
		const list = [];
		for (let c = i + 1; c < this.end[i]; c = this.end[c]) list.push(c);
		return list;
	}
	isFold(i) { return this.name[i] === 1; }
}

// The numbers of the file: name, levels to climb, own weight; for differences new, old, step, too.
function readTree() {
	const v = data.frames.split(','), per = data.diff ? 6 : data.signed ? 4 : 3, n = v.length / per;
	const r = {name: new Int32Array(n), parent: new Int32Array(n), depth: new Int32Array(n), own: new Float64Array(n),
		self: [new BigInt64Array(n), new BigInt64Array(n)], step: new Int8Array(n)};
	const path = [], step = BigInt(data.step), value = text => BigInt(text || 0) * step;
	for (let i = 0, k = 0; i < n; i++, k += per) {
		path.length -= Number(v[k + 1]);
		r.name[i] = Number(v[k]);
		r.own[i] = Number(v[k + 2]) * data.step;
		r.self[0][i] = value(v[k + (per > 3 ? 3 : 2)]);
		if (data.diff) {
			r.self[1][i] = value(v[k + 4]);
			r.step[i] = Number(v[k + 5]);
		}
		r.depth[i] = path.length;
		r.parent[i] = path.length ? path[path.length - 1] : 0;
		path.push(i);
	}
	return new Tree(r);
}
const stepClass = s => s < 0 ? 'm' + -s : s > 0 ? 'p' + s : 'd0';
function classOf(t, i) {
	if (t.isFold(i)) return 'fold';
	if (data.diff) return stepClass(t.step[i]);
	return i === 0 && t.name[i] === 0 ? 'all' : 'c' + data.color[t.name[i]];
}
const fullName = (t, i) => data.names[t.name[i]];
function label(name, room) {
	const full = data.names[name], brief = full.slice(data.cut[name]);
	if (cells(brief) <= room) return brief;
	const rest = full.slice(data.pkg[name]).replace(/^(\.|::)/, '');
	const text = data.pkg[name] > data.cut[name] && rest.length >= 3 && rest.length < brief.length ? rest : brief;
	if (cells(text) <= room) return text;
	if (room < 3) return '';
	let out = '', used = 1;
	for (const c of text) {
		used += cells(c);
		if (used > room) break;
		out += c;
	}
	return out + '…';
}
function cells(text) {
	let n = 0;
	for (const c of text) n += c < 'ᄀ' ? 1 : 2;
	return n;
}

// ---- what is searched for; shared by all pictures of the page ----

const found = {text: '', names: null, bad: false};
function setSearch(text) {
	found.text = text;
	found.names = null;
	found.bad = false;
	if (!text) return;
	let re;
	try {
		re = new RegExp(text, /[A-Z]/.test(text) ? '' : 'i');
	} catch (e) {
		found.bad = true;
		return;
	}
	found.names = data.names.map((n, i) => i > 1 && re.test(n));
}

// ---- a picture ----

let charWidth = 6.62;
class View {
	constructor(group, t, opt) {
		this.g = group;
		this.opt = opt;
		this.width = 0;
		this.setTree(t);
		group.addEventListener('click', e => this.onClick(e));
		// Focus is for the keyboard: a press that moves it would take the click with it.
		group.addEventListener('mousedown', e => {
			e.preventDefault();
			if (document.activeElement === box) box.blur();
			current = this;
		});
		group.addEventListener('mousemove', e => {
			const i = this.at(e);
			if (i >= 0) showTip(this, i, e.clientX, e.clientY);
			else hideTip();
		});
		group.addEventListener('mouseleave', hideTip);
		group.addEventListener('focusin', e => {
			const i = this.at(e);
			if (i >= 0 && i !== this.selected) this.select(i, true);
		});
	}
	setTree(t) {
		this.t = t;
		this.zoomed = 0;
		this.selected = -1;
	}
	at(e) {
		const g = e.target.closest ? e.target.closest('g[data-i]') : null;
		return g && this.g.contains(g) ? Number(g.getAttribute('data-i')) : -1;
	}
	onClick(e) {
		const i = this.at(e);
		if (i < 0) return;
		hideTip();
		this.selected = i;
		if (e.shiftKey && this.opt.onChoose) return this.opt.onChoose(this.t.name[i]);
		this.pick(i);
		this.zoom(i === this.zoomed && i ? this.t.parent[i] : i);
	}
	pick(i) {
		if (place.onPick && this.t.name[i] > 1) place.onPick(fullName(this.t, i));
	}
	zoom(i) {
		this.zoomed = this.t.isFold(i) ? this.t.parent[i] : i;
		this.render();
		if (this.opt.onZoom) this.opt.onZoom(this);
	}
	// [x, width] of a frame in pixels; null where it is not on the picture.
	place(i) {
		const t = this.t, z = this.zoomed;
		if (z >= i && z < t.end[i]) return [0, this.width];
		if (i < z || i >= t.end[z] || !t.w[z]) return null;
		const k = this.width / t.w[z];
		return [(t.x[i] - t.x[z]) * k, t.w[i] * k];
	}
	render() {
		const t = this.t, list = [], keep = document.activeElement && this.g.contains(document.activeElement);
		let deepest = 0;
		if (!this.width || (this.opt.shown && !this.opt.shown())) return;
		for (let i = this.zoomed; ; i = t.parent[i]) {
			list.unshift(i);
			if (!i) break;
		}
		for (let i = this.zoomed + 1; i < t.end[this.zoomed];) {
			const p = this.place(i);
			if (p[1] < LEAST) { i = t.end[i]; continue; }
			list.push(i++);
		}
		for (const i of list) deepest = Math.max(deepest, t.depth[i]);
		this.levels = deepest + 1;
		this.up = this.opt.up();
		const all = document.createDocumentFragment();
		for (const i of list) all.appendChild(this.draw(i));
		this.g.replaceChildren(all);
		this.shown = list;
		if (this.selected >= 0 && !this.place(this.selected)) this.selected = this.zoomed;
		this.mark(keep);
		if (this.opt.onRender) this.opt.onRender(this);
	}
	y(depth) { return (this.up ? this.levels - 1 - depth : depth) * ROW; }
	draw(i) {
		const t = this.t, [x, w] = this.place(i), y = this.y(t.depth[i]);
		let c = classOf(t, i);
		if (found.names) c += found.names[t.name[i]] ? ' hit' : ' miss';
		if (i < this.zoomed) c += ' above';
		const g = svg('g', {'class': c, 'data-i': i, tabindex: -1, role: 'treeitem', 'aria-level': t.depth[i] + 1, 'aria-label': spoken(t, i)});
		const room = Math.floor((w - 6) / charWidth);
		g.appendChild(svg('rect', {x: x.toFixed(2), y, width: Math.max(w - (w > 2 ? 0.6 : 0), 0.3).toFixed(2), height: ROW - 1, rx: w > 6 ? 2 : 0}));
		if (room >= 2) {
			const text = label(t.name[i], room);
			if (text) g.appendChild(svg('text', {x: (x + 3.5).toFixed(2), y: y + 12.5}, text));
		}
		return g;
	}
	element(i) { return this.g.querySelector('g[data-i="' + i + '"]'); }
	// Outlines the selected frame, and lets the keyboard reach it.
	mark(focus) {
		const e = this.element(this.selected >= 0 ? this.selected : this.zoomed);
		if (this.outline) this.outline.remove();
		this.outline = null;
		if (!e) return;
		for (const o of this.g.querySelectorAll('[tabindex="0"]')) o.setAttribute('tabindex', -1);
		e.setAttribute('tabindex', 0);
		if (this.selected < 0) return;
		this.outline = e.firstChild.cloneNode();
		this.outline.setAttribute('class', 'outline');
		this.g.appendChild(this.outline);
		if (focus) e.focus({preventScroll: true});
	}
	select(i, quiet) {
		this.selected = i;
		if (!this.element(i)) this.zoom(this.t.parent[i]);
		this.mark(!quiet);
		const e = this.element(i);
		if (!e) return;
		const b = e.getBoundingClientRect();
		if (!quiet && e.scrollIntoView && (b.top < 60 || b.bottom > innerHeight - 20)) e.scrollIntoView({block: 'center'});
		const r = e.getBoundingClientRect();
		showTip(this, i, Math.max(r.left, 0) + Math.min(r.width / 2, 60), r.bottom - 8);
	}
	// Arrows: towards the root, to the widest frame below, to the neighbours on the same level.
	walk(key) {
		const t = this.t, i = this.selected;
		const down = this.up ? 'ArrowUp' : 'ArrowDown', up = this.up ? 'ArrowDown' : 'ArrowUp';
		if (i < 0) return this.select(this.zoomed);
		if (key === up) {
			if (i && i <= this.zoomed) this.zoom(t.parent[i]);
			return i ? this.select(t.parent[i]) : undefined;
		}
		if (key === down) {
			let best = -1;
			for (const c of t.children(i)) if (i < this.zoomed ? this.zoomed >= c && this.zoomed < t.end[c] : best < 0 || t.w[c] > t.w[best]) best = c;
			return best >= 0 ? this.select(best) : undefined;
		}
		const row = this.shown.filter(k => t.depth[k] === t.depth[i]), at = row.indexOf(i);
		const next = row[at + (key === 'ArrowLeft' ? -1 : 1)];
		if (next !== undefined) this.select(next);
	}
	reset() {
		this.selected = -1;
		this.zoom(0);
	}
	// [weight, new, old] under frames that were found, each counted once.
	matched() {
		const t = this.t, sum = [0, 0n, 0n, 0];
		for (let i = this.zoomed; found.names && i < t.end[this.zoomed];) {
			if (!found.names[t.name[i]]) { i++; continue; }
			sum[0] += t.w[i];
			sum[1] += t.total[0][i];
			sum[2] += t.total[1][i];
			sum[3]++;
			i = t.end[i];
		}
		return sum;
	}
}

// ---- words about a frame ----

function change(now, old) {
	const d = now - old, times = old > 0n && now >= 10n * old;
	if (times) return signed(d, human(d)) + ' (×' + three(Number(now) / Number(old), '') + ')';
	return signed(d, human(d)) + (old ? ' (' + signed(d, percent(d, old)) + ')' : now ? ' (new)' : '');
}
function spoken(t, i) {
	const name = fullName(t, i), v = t.total[0][i];
	if (data.diff) return name + ': ' + human(t.total[1][i]) + ' → ' + human(v) + ', ' + change(v, t.total[1][i]);
	return name + ': ' + human(v) + ', ' + percent(v, t.total[0][0]) + (t.self[0][i] ? ', self ' + human(t.self[0][i]) : '');
}
function facts(t, i) {
	const rows = [], p = t.parent[i], side = s => t.total[s][i], self = s => t.isFold(i) ? 0n : t.self[s][i];
	if (data.diff) {
		rows.push(['', 'old', 'new', 'change']);
		rows.push(['total', human(side(1)), human(side(0)), change(side(0), side(1))]);
		if (self(0) || self(1)) rows.push(['self', human(self(1)), human(self(0)), change(self(0), self(1))]);
		rows.push(['share', percent(side(1), t.total[1][0]), percent(side(0), t.total[0][0]), '']);
		rows.push(['exactly', thousands(side(1)), thousands(side(0)), signed(side(0) - side(1), exact(side(0) - side(1)))]);
		return rows;
	}
	rows.push(['total', human(side(0)), percent(side(0), t.total[0][0]) + ' of all', i ? percent(side(0), t.total[0][p]) + ' of parent' : '']);
	if (!t.isFold(i)) rows.push(['self', human(self(0)), percent(self(0), t.total[0][0]) + ' of all', '']);
	rows.push(['exactly', exact(side(0)), '', '']);
	return rows;
}
function remark(t, i) {
	if (t.isFold(i)) return 'frames narrower than ' + data.limit + ', folded into one';
	if (data.diff && !t.step[i]) return t.total[0][i] === t.total[1][i] ? 'unchanged' : 'within the noise of the samples';
	return '';
}

// ---- tooltip ----

const tip = html('div', {id: 'tip', role: 'tooltip'});
let tipHost = tip;
function showTip(view, i, x, y) {
	const t = view.t, table = html('table'), note = remark(t, i);
	tip.replaceChildren(html('b', {}, fullName(t, i)), table);
	for (const row of facts(t, i)) {
		const tr = html('tr');
		while (row.length > 2 && !row[row.length - 1]) row.pop();
		row.forEach((c, k) => tr.appendChild(html(k ? 'td' : 'th', row.length === 2 && k ? {colspan: 3} : {}, c)));
		table.appendChild(tr);
	}
	if (note) tip.appendChild(html('i', {}, note));
	tip.style.display = 'block';
	const w = tip.offsetWidth, h = tip.offsetHeight;
	let left = Math.min(x + 14, innerWidth - w - 8), top = y + 18;
	if (top + h > innerHeight - 4) top = Math.max(y - h - 12, 4);
	left = Math.max(left, 4);
	if (inPage) {
		tip.style.left = left + 'px';
		tip.style.top = top + 'px';
	} else {
		tipHost.setAttribute('x', left + scrollX);
		tipHost.setAttribute('y', top + scrollY);
	}
}
function hideTip() { tip.style.display = 'none'; }

// ---- themes ----

const dark = matchMedia('(prefers-color-scheme: dark)');
const isDark = () => root.dataset.theme ? root.dataset.theme === 'dark' : dark.matches;
function toggleTheme() { root.dataset.theme = isDark() ? 'light' : 'dark'; }

// ---- the controls ----

const bar = html('div', {id: 'bar'});
const box = html('input', {id: 'search', type: 'search', placeholder: 'search (regex)   /', 'aria-label': 'search frames by regular expression', spellcheck: 'false', autocomplete: 'off'});
const share = html('span', {id: 'share', role: 'status'});
function button(text, title, act) {
	const b = html('button', {type: 'button', title, 'aria-label': title}, text);
	b.addEventListener('click', act);
	bar.appendChild(b);
	return b;
}
bar.append(share, box);
const resetButton = button('reset', 'show everything again (0)', resetAll);
button('⇅', 'turn upside down (i)', flip);
const themeButton = button('◐', 'light or dark (t)', toggleTheme);
button('?', 'keys', () => { help.style.display = help.style.display === 'block' ? 'none' : 'block'; });
const help = html('div', {id: 'keys'});
[['click', 'zoom; again: back'], ['← ↑ → ↓', 'walk along the frames'], ['Enter', 'zoom to the selected frame'], ['/', 'search, a regular expression; Enter goes back to the frames'],
	['Esc', 'end the search, then the zoom'], ['0', 'everything as at first'], ['i', 'icicle or flame'], ['t', 'light or dark']].concat(inPage ? [['s, shift-click', 'callers and callees of the frame']] : [])
	.forEach(([k, d]) => { const p = html('p'); p.append(html('kbd', {}, k), d); help.appendChild(p); });
bar.appendChild(help);

// ---- putting it together ----

let upwards, picture, main, views, current;

function fit(view) {
	const top = headRoom();
	view.g.setAttribute('transform', 'translate(' + PAD + ' ' + top + ')');
	const bottom = top + view.levels * ROW, foot = byId('foot');
	foot.setAttribute('transform', 'translate(' + PAD + ' ' + (bottom + 6) + ')');
	const height = bottom + Number(picture.dataset.foot) + 10;
	picture.removeAttribute('viewBox');
	picture.setAttribute('width', view.width + 2 * PAD);
	picture.setAttribute('height', inPage ? height : Math.max(height, innerHeight - 1));
}
function headRoom() {
	return Number(picture.dataset.head) + (!inPage && innerWidth < 860 ? 34 : 0);
}
function viewWidth() {
	const w = inPage ? picture.parentNode.clientWidth : root.clientWidth || innerWidth;
	return Math.max(w - 2 * PAD, 200);
}
function renderAll() {
	for (const v of views) {
		v.width = v === main ? viewWidth() : v.opt.width();
		v.render();
	}
	tellShare();
}
function tellShare() {
	box.classList.toggle('bad', found.bad);
	share.textContent = '';
	if (found.bad) share.textContent = 'not a regular expression';
	if (!found.names) return;
	const v = current || main, m = v.matched(), t = v.t, z = v.zoomed;
	if (!m[3]) share.textContent = 'no match';
	else if (data.diff) share.textContent = human(m[2]) + ' → ' + human(m[1]) + ' in ' + thousands(m[3]) + ' frame' + (m[3] > 1 ? 's' : '');
	else share.textContent = human(m[1]) + ', ' + percent(m[1], t.total[0][z]) + (z ? ' of this' : '') + ' in ' + thousands(m[3]) + ' frame' + (m[3] > 1 ? 's' : '');
}
function search(text) {
	setSearch(text);
	if (box.value !== text) box.value = text;
	for (const v of views) v.render();
	tellShare();
	remember();
	if (typeof onSearch === 'function') onSearch();
}
function resetAll() {
	main.selected = -1;
	main.zoomed = 0;
	hideTip();
	search('');
}
function flip() {
	upwards = !upwards;
	renderAll();
}
let typing = 0;
box.addEventListener('input', () => {
	clearTimeout(typing);
	typing = setTimeout(() => search(box.value), tree.n > 5000 ? 150 : 0);
});

// Zoom and search stay in the address, to be kept or sent.
function remember() {
	const parts = [];
	if (main.zoomed) parts.push('z=' + main.zoomed);
	if (found.text) parts.push('s=' + encodeURIComponent(found.text));
	resetButton.disabled = !parts.length;
	if (current === main) tellShare();
	place.write(parts.join('&'));
}
function recall() {
	const q = new URLSearchParams(place.read()), z = Number(q.get('z'));
	main.zoomed = z > 0 && z < tree.n ? Math.floor(z) : 0;
	setSearch(q.get('s') || '');
	box.value = found.text;
}

function onKeyDown(e) {
	if (e.ctrlKey || e.metaKey || e.altKey) return;
	if (e.target === box) {
		if (e.key === 'Escape') { box.blur(); search(''); }
		else if (e.key === 'Enter') { clearTimeout(typing); search(box.value); box.blur(); }
		return;
	}
	if (e.target.localName === 'button' && (e.key === 'Enter' || e.key === ' ')) return;
	if (typeof onKey === 'function' && onKey(e)) return;
	const v = current;
	switch (e.key) {
	case 'ArrowUp': case 'ArrowDown': case 'ArrowLeft': case 'ArrowRight': if (!v) return; v.walk(e.key); break;
	case 'Enter': case ' ': if (!v || v.selected < 0) return; v.pick(v.selected); v.zoom(v.selected); v.select(v.zoomed); break;
	case '/': hideTip(); box.focus(); box.select(); break;
	case 'Escape':
		help.style.display = 'none';
		if (found.text) search('');
		else if (v && (v.zoomed || v.selected >= 0)) { hideTip(); v.reset(); }
		else return;
		break;
	case '0': resetAll(); if (v && v !== main) v.reset(); break;
	case 't': if (place !== alone) return; toggleTheme(); break;
	case 'i': flip(); break;
	default: return;
	}
	e.preventDefault();
}

// Shows a picture in `host`, which has the elements that HTML files have. `read` and `write`: the text
// that stands in the address; `onPick`: gets the name of a function that was clicked.
let listening = new AbortController();
function leavePicture() {
	listening.abort();
	clearTimeout(typing);
	hideTip();
}
function openPicture(what, where) {
	leavePicture();
	listening = new AbortController();
	place = where || alone;
	data = what;
	tree = readTree();
	upwards = data.up;
	picture = byId('flame');
	main = new View(byId('frames'), tree, {up: () => upwards, onRender: fit, onZoom: remember, onChoose: null});
	views = [main];
	current = main;
	if (typeof openPage === 'function') openPage();
	start();
}
function on(target, type, act) {
	target.addEventListener(type, act, {signal: listening.signal, capture: type === 'scroll'});
}
function start() {
	const probe = svg('text', {'class': 'probe'}, 'm'.repeat(40));
	main.g.replaceChildren(svg('g'));
	main.g.firstChild.appendChild(probe);
	const w = probe.getComputedTextLength() / 40;
	if (w > 3 && w < 20) charWidth = w;
	main.g.setAttribute('role', 'tree');
	picture.removeAttribute('role');
	picture.classList.add('live');
	if (inPage) {
		themeButton.hidden = place !== alone;
		byId('tools').appendChild(bar);
		(place === alone ? document.body : place.host).appendChild(tip);
	} else {
		const host = svg('foreignObject', {id: 'tools', height: 34});
		const put = () => {
			const narrow = innerWidth < 860;
			host.setAttribute('x', narrow ? 0 : 320);
			host.setAttribute('y', narrow ? Number(picture.dataset.head) - 10 : 6);
			host.setAttribute('width', Math.max(root.clientWidth - (narrow ? 0 : 320), 100));
		};
		tipHost = svg('foreignObject', {id: 'tiphost', width: 1, height: 1});
		host.appendChild(bar);
		tipHost.appendChild(tip);
		picture.append(host, tipHost);
		put();
		on(window, 'resize', put);
	}
	on(place.host, 'keydown', onKeyDown);
	recall();
	renderAll();
	resetButton.disabled = !main.zoomed && !found.text;
	let wait = 0;
	const again = () => {
		cancelAnimationFrame(wait);
		wait = requestAnimationFrame(renderAll);
	};
	on(window, 'resize', again);
	on(window, 'scroll', hideTip);
	if (place === alone) on(window, 'hashchange', () => { recall(); renderAll(); });
	root.dataset.ready = 'yes';
}
