// What only pages have: the table of functions, and callers and callees of one of them.
const NAME = 0, SELF = 1, TOTAL = 2, SELF_OLD = 3, TOTAL_OLD = 4;
let rows, whole, columns, sections, tabs, shownTab, chosen, callers, callees;
const delta = (row, k) => row[k] - row[k + 2];
function readRows() {
	const v = data.rows ? data.rows.split(',') : [], per = data.diff ? 5 : 3, out = [];
	for (let k = 0; k + per <= v.length; k += per) {
		const row = [Number(v[k])];
		for (let i = 1; i < per; i++) row.push(BigInt(v[k + i] || 0) * BigInt(data.step));
		out.push(row);
	}
	return out;
}
const columnsOf = () => (data.diff ? [
	{title: 'total before', key: r => r[TOTAL_OLD], text: r => human(r[TOTAL_OLD])},
	{title: 'total', key: r => r[TOTAL], text: r => human(r[TOTAL])},
	{title: 'change', key: r => delta(r, TOTAL), text: r => change(r[TOTAL], r[TOTAL_OLD]), sign: true},
	{title: 'self before', key: r => r[SELF_OLD], text: r => human(r[SELF_OLD])},
	{title: 'self', key: r => r[SELF], text: r => human(r[SELF])},
	{title: 'change', key: r => delta(r, SELF), text: r => change(r[SELF], r[SELF_OLD]), sign: true},
] : [
	{title: 'self', key: r => r[SELF], text: r => human(r[SELF])},
	{title: '%', key: r => r[SELF], text: r => percent(r[SELF], whole[0]), soft: true},
	{title: 'total', key: r => r[TOTAL], text: r => human(r[TOTAL])},
	{title: '%', key: r => r[TOTAL], text: r => percent(r[TOTAL], whole[0]), soft: true},
]).concat({title: 'function', key: r => data.names[r[NAME]], text: r => data.names[r[NAME]], name: true});

function openTab(which) {
	shownTab = which;
	for (const k in sections) {
		sections[k].hidden = k !== which;
		tabs[k].setAttribute('aria-selected', k === which);
	}
	hideTip();
	current = which === 'graph' ? main : which === 'sandwich' && chosen >= 0 ? callees : null;
	if (which === 'table') fillTable();
	if (which === 'sandwich') fillSandwich();
	if (which === 'graph') renderAll();
}
function openPage() {
	rows = readRows();
	whole = [tree.total[0][0], tree.total[1][0]];
	columns = columnsOf();
	sections = {graph: byId('graph'), table: byId('table'), sandwich: byId('sandwich')};
	tabs = {};
	shownTab = 'graph';
	chosen = -1;
	sortBy = data.diff ? 2 : 0;
	down = true;
	for (const [k, title] of [['graph', 'Graph'], ['table', 'Table'], ['sandwich', 'Sandwich']]) {
		tabs[k] = html('button', {type: 'button', role: 'tab', id: 'tab-' + k}, title);
		tabs[k].addEventListener('click', () => openTab(k));
		byId('forms').appendChild(tabs[k]);
		sections[k].hidden = k !== 'graph';
		tabs[k].setAttribute('aria-selected', k === 'graph');
	}
	byId('forms').setAttribute('role', 'tablist');
	sections.table.addEventListener('click', e => {
		const tr = e.target.closest('tr[data-name]');
		if (tr) choose(Number(tr.dataset.name));
	});
	callers = sandwichPicture('callers', true);
	callees = sandwichPicture('callees', false);
	views.push(callers, callees);
	main.opt.onChoose = choose;
}

// ---- the table ----

let sortBy, down;
const magnitude = v => typeof v === 'bigint' && v < 0n ? -v : v;
function sorted() {
	const key = columns[sortBy].key, size = columns[sortBy].sign ? magnitude : v => v;
	const list = found.names ? rows.filter(r => found.names[r[NAME]]) : rows.slice();
	return list.sort((a, b) => {
		const x = size(key(a)), y = size(key(b)), c = x < y ? -1 : x > y ? 1 : 0;
		return c ? (down ? -c : c) : data.names[a[NAME]] < data.names[b[NAME]] ? -1 : 1;
	});
}
function swatch(name) {
	const g = svg('g', {'class': 'c' + data.color[name]}), s = svg('svg', {width: 10, height: 10, 'class': 'swatch', 'aria-hidden': 'true'});
	g.appendChild(svg('rect', {width: 10, height: 10, rx: 2}));
	s.appendChild(g);
	return s;
}
function fillTable() {
	const table = html('table', {id: 'list'}), head = html('tr'), body = html('tbody'), all = sorted(), most = 1000;
	columns.forEach((c, k) => {
		const th = html('th', {'aria-sort': k === sortBy ? (down ? 'descending' : 'ascending') : 'none'});
		if (c.name) th.className = 'name';
		const b = html('button', {type: 'button'}, c.title + (k === sortBy ? (down ? ' ↓' : ' ↑') : ''));
		b.addEventListener('click', () => {
			down = k === sortBy ? !down : !c.name;
			sortBy = k;
			fillTable();
			sections.table.querySelectorAll('th button')[k].focus();
		});
		th.appendChild(b);
		head.appendChild(th);
	});
	for (const r of all.slice(0, most)) {
		const tr = html('tr', {tabindex: 0, 'data-name': r[NAME]});
		for (const c of columns) {
			const td = html('td', c.name ? {'class': 'name'} : c.soft ? {'class': 'share'} : {});
			if (c.name && !data.diff) td.appendChild(swatch(r[NAME]));
			if (c.sign) td.className = c.key(r) > 0n ? 'up' : c.key(r) < 0n ? 'down' : '';
			td.append(c.text(r));
			tr.appendChild(td);
		}
		body.appendChild(tr);
	}
	const thead = html('thead');
	thead.appendChild(head);
	table.append(thead, body);
	const notes = [thousands(Math.min(all.length, most)) + ' of ' + thousands(all.length) + ' functions' + (found.names ? ' that match' : '') + '; a click shows callers and callees'];
	sections.table.replaceChildren(table, html('p', {'class': 'note'}, notes.join(' ')));
	sections.table.style.setProperty('--top', place.host.querySelector('header').offsetHeight + 'px');
}

// ---- the sandwich ----

// Paths merged into a tree by name: put(path of names, own weight, self new, self old, step).
function merger() {
	const nodes = [{name: 0, kids: new Map(), own: 0, self: [0n, 0n], events: 0}];
	return {
		child(at, name) {
			let k = nodes[at].kids.get(name);
			if (k === undefined) {
				k = nodes.length;
				nodes.push({name, kids: new Map(), own: 0, self: [0n, 0n]});
				nodes[at].kids.set(name, k);
			}
			return k;
		},
		add(at, own, now, old) {
			const n = nodes[at];
			n.own += own;
			n.self[0] += now;
			n.self[1] += old;
		},
		finish(rootName) {
			const weight = new Float64Array(nodes.length), order = [], todo = [[0, -1, 0]];
			for (let i = nodes.length - 1; i >= 0; i--) {
				weight[i] += nodes[i].own;
				for (const k of nodes[i].kids.values()) weight[i] += weight[k];
			}
			const t = {name: [], parent: [], depth: [], own: [], self: [[], []], step: []};
			while (todo.length) {
				const [i, p, d] = todo.pop(), n = nodes[i], at = t.name.length;
				t.name.push(i ? n.name : rootName);
				t.parent.push(Math.max(p, 0));
				t.depth.push(d);
				t.own.push(n.own);
				t.self[0].push(n.self[0]);
				t.self[1].push(n.self[1]);
				t.step.push(0);
				const kids = [...n.kids.values()].filter(k => weight[k] > 0 || data.diff);
				kids.sort((a, b) => weight[a] - weight[b] || (data.names[nodes[a].name] < data.names[nodes[b].name] ? 1 : -1));
				for (const k of kids) todo.push([k, at, d + 1]);
			}
			const made = new Tree(t);
			// How much a merged frame changed; the noise is known of single ones only.
			for (let i = 0; data.diff && i < made.n; i++) {
				const now = Number(made.total[0][i]), old = Number(made.total[1][i]), m = Math.max(Math.abs(now), Math.abs(old));
				const s = m ? Math.ceil(Math.abs(now - old) / m * 5 - 0.5) : 0;
				made.step[i] = (now < old) !== data.negate ? -s : s;
			}
			return made;
		},
	};
}
// Every stack that has the function on it counts once: below its outermost call for the callees,
// above it for the callers.
function sandwichTrees(name) {
	const below = merger(), above = merger(), t = tree, node = new Int32Array(t.n).fill(-1);
	for (let i = 0; i < t.n; i++) {
		const p = t.parent[i], inside = i > 0 && node[p] >= 0;
		if (inside) node[i] = below.child(node[p], t.name[i]);
		else if (t.name[i] === name) {
			node[i] = 0;
			let at = 0;
			for (let up = p; up > 0; up = t.parent[up]) at = above.child(at, t.name[up]);
			above.add(at, t.w[i], t.total[0][i], t.total[1][i]);
		}
		if (node[i] >= 0) {
			const kids = t.children(i);
			let now = t.total[0][i], old = t.total[1][i];
			for (const c of kids) { now -= t.total[0][c]; old -= t.total[1][c]; }
			below.add(node[i], t.own[i], now, old);
		}
	}
	return [above.finish(name), below.finish(name)];
}
function sandwichPicture(id, up) {
	const s = svg('svg', {id, 'class': 'live'}), g = svg('g', {'class': 'frames', role: 'tree'});
	s.appendChild(g);
	const v = new View(g, tree, {up: () => up, shown: () => shownTab === 'sandwich', width: () => Math.max(sections.sandwich.clientWidth - 2 * PAD - 4, 200),
		onRender: w => {
			s.setAttribute('width', w.width + 4);
			s.setAttribute('height', w.levels * ROW + 4);
			g.setAttribute('transform', 'translate(2 2)');
		},
		onChoose: choose});
	v.svg = s;
	return v;
}
function choose(name) {
	if (name < 2) return;
	chosen = name;
	if (place.onPick) place.onPick(data.names[name]);
	openTab('sandwich');
	scrollTo(0, 0);
}
function fillSandwich() {
	const s = sections.sandwich;
	if (chosen < 0) {
		const top = rows.slice().sort((a, b) => b[SELF] > a[SELF] ? 1 : b[SELF] < a[SELF] ? -1 : 0)[0];
		if (!top) return s.replaceChildren(html('p', {'class': 'note'}, 'There is no function.'));
		chosen = top[NAME];
	}
	const [above, below] = sandwichTrees(chosen), row = rows.find(r => r[NAME] === chosen);
	let line = 'no numbers: it is only in folded frames';
	if (row) line = data.diff ? 'total ' + human(row[TOTAL_OLD]) + ' → ' + human(row[TOTAL]) + ', self ' + human(row[SELF_OLD]) + ' → ' + human(row[SELF])
		: 'total ' + human(row[TOTAL]) + ', ' + percent(row[TOTAL], whole[0]) + '; self ' + human(row[SELF]) + ', ' + percent(row[SELF], whole[0]);
	if (data.reverse) callers.setTree(below), callees.setTree(above);
	else callers.setTree(above), callees.setTree(below);
	s.replaceChildren(html('h2', {}, data.names[chosen]), html('p', {'class': 'note'}, line + '. Shift-click or s on a frame looks at that one.' + (data.diff ? ' Colors here do not know of noise.' : '')),
		html('h3', {}, 'Callers'), callers.svg, html('h3', {}, 'Callees'), callees.svg);
	current = callees;
	for (const v of [callers, callees]) {
		v.width = v.opt.width();
		v.render();
	}
}

function onSearch() {
	if (shownTab === 'table') fillTable();
}
function onKey(e) {
	const row = e.target.closest && e.target.closest('tr[data-name]');
	if (row && (e.key === 'Enter' || e.key === ' ')) {
		choose(Number(row.dataset.name));
		e.preventDefault();
		return true;
	}
	if (row && (e.key === 'ArrowDown' || e.key === 'ArrowUp')) {
		const next = e.key === 'ArrowDown' ? row.nextElementSibling : row.previousElementSibling;
		if (next) next.focus();
		e.preventDefault();
		return true;
	}
	if (e.key === 's' && current && current.selected >= 0) {
		choose(current.t.name[current.selected]);
		return true;
	}
	return false;
}
