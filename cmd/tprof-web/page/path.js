// Why a request took so long: tprof-path, in sentences, as a picture, and as tables.
import {el, svg, button, command, format, nothing} from './dom.js';
import {run} from './ask.js';
import {words} from './selection.js';
import {table} from './table.js';

const REPORTS = [
	['totals', 'where the time went'], ['hops', 'hop by hop'], ['tree', 'who waited for whom'],
	['requests', 'the requests'], ['wakers', 'who wakes whom'], ['blame', 'what makes them slow'],
	['what-if', 'what it would bring']
];
const OF_ALL = new Set(['requests', 'wakers', 'blame']); // compare requests themselves, or need none
const WHICH = [['1', 'the slowest'], ['1%', 'the slowest 1 %'], ['all', 'all together']];
// Classes of states, as the timeline colours them.
const STATES = {running: 's0', runnable: 's1', syscall: 's2', 'syscall-blocked': 's2'};
const LAYERS = 7; // depths of the picture

// ---- ways on ----

// A part of the timeline with the moment in its middle.
function around(at, dur) {
	const pad = Math.max(dur, 1000);
	return {'timeline.from': Math.max(0, Math.round(at - pad)), 'timeline.to': Math.round(at + dur + pad)};
}

function leads(app, report, row) {
	const to = (text, view, changes) => ({text, act: () => app.go(view, changes)}),
		when = (text, goroutine, at, dur) =>
			to(text, 'timeline', {goroutine: goroutine === null ? undefined : goroutine, at, ...around(at, dur)});
	const flame = row.function && to('Flame of waits', 'flame', {'flame.view': 'offcpu', focus: row.function});
	switch (report) {
	case 'hops':
		return [
			when('Timeline at this hop', row.goroutine, row.from_ns, row.total_ns),
			typeof row.wakes === 'number' &&
				when('The goroutine that it wakes', row.wakes, row.from_ns + row.total_ns, row.total_ns),
			row.task > 0 && to('Path of its task', 'path', {task: row.task}), flame
		];
	case 'requests':
		return [
			typeof row.id === 'number' && app.selection.region === undefined && app.selection['path.of'] !== 'region' ?
				to('Why it took so long', 'path',
					{[subject(app) === 'goroutine' ? 'goroutine' : 'task']: row.id, 'path.report': null}) :
				to('Why it took so long', 'path', {from: row.from_ns, to: row.to_ns, region: row.name, 'path.report': null}),
			when('Timeline', row.goroutine, row.from_ns, row.total_ns)
		];
	case 'wakers':
		return [
			when('Timeline at the worst', null, row.worst_at_ns, row.max_ns),
			row.reason && to('Where they wait', 'top', {report: 'block', reason: row.reason})
		];
	case 'tree':
		return [
			typeof row.goroutine === 'number' && to('Timeline of the goroutine', 'timeline', {goroutine: row.goroutine}), flame
		];
	default:
		return [
			flame, typeof row.goroutine === 'number' && to('Timeline of the goroutine', 'timeline', {goroutine: row.goroutine})
		];
	}
}

// What requests are: tasks, regions or goroutines, as they are selected.
function subject(app) {
	const s = app.selection;
	if (s.task !== undefined || s.request !== undefined) return 'task';
	if (s.region !== undefined) return 'region';
	return s.goroutine !== undefined || s.group !== undefined ? 'goroutine' : null;
}

// ---- the parts ----

// Sentences of the notes: lines that are indented go on with the one before.
function sentences(notes) {
	const out = [];
	for (const n of notes) {
		if (/^ {2}\D/.test(n) && !/^ {2}\d/.test(n) && out.length && !/[.:]$/.test(out[out.length - 1]))
			out[out.length - 1] += ' ' + n.trim();
		else if (n.trim()) out.push(n.trim());
	}
	return out;
}

// The path in time: each hop a box at its depth, and above it the goroutines that wait for it.
function picture(app, sheet) {
	const rows = sheet.rows, end = Math.max(...rows.map(r => r.at_ns + r.total_ns)),
		deepest = Math.min(Math.max(...rows.map(r => r.depth)), LAYERS - 1);
	if (!(end > 0)) return null;
	const width = 1000, x = v => +(v / end * width).toFixed(2);
	const box = (r, layer, attrs, told) =>
		svg('rect', {x: x(r.at_ns), width: Math.max(x(r.total_ns), 0.6), y: layer * 17, height: 15, ...attrs}, told);
	const boxes = rows.flatMap(r => {
		const depth = Math.min(r.depth, deepest), above = Array.from({length: depth}, (_, i) => box(r, i, {class: 's3'}));
		return [
			...above,
			box(r, depth, {class: STATES[r.kind] || 's4', cursor: 'pointer', click: () => leads(app, 'hops', r)[0].act()},
				svg('title', null, format('ns', r.total_ns) + ' ' + r.doing + ', goroutine ' + r.goroutine + ' in ' + r.where))
		];
	});
	const key = [
		['s0', 'running'], ['s1', 'runnable'], ['s2', 'system call'], ['s3', 'waits for the goroutine below'],
		['s4', 'waits for something else']
	];
	return el('figure', {class: 'path'},
		svg('svg', {
			viewBox: `0 0 ${width} ${(deepest + 1) * 17}`,
			preserveAspectRatio: 'none',
			role: 'img',
			'aria-label': 'The path over time; the table of hops says the same'
		},
			boxes),
		el('p', {class: 'legend'},
			key.map(
				([c, text]) => el('span', null,
					svg('svg', {width: 12, height: 12, 'aria-hidden': 'true'}, svg('rect', {width: 12, height: 12, class: c})), text)),
			el('span', null, '0 to ' + format('ns', end))));
}

function buttons(list, now, act, label) {
	return el('div', {class: 'picks', role: 'group', 'aria-label': label},
		list.map(([name, text]) => button(text, () => act(name), {'aria-pressed': String(name === now)})));
}

function open(app, root) {
	const id = () => '@' + app.run().id, json = ['-n200', '--format=json'];
	const show = (head, name, sheet) => table(sheet || {name, columns: [], rows: []}, {
		caption: name,
		ticks: app.run().ticks,
		lead: row => leads(app, name, row),
		cut: head.cut.find(c => c.rows.startsWith({wakers: 'pairs', tree: 'branches'}[name] || name))
	});

	// Returns what the requests of the trace are, if nothing is selected: tasks, else regions; null if it has none.
	async function kindOf() {
		const sql = 'SELECT EXISTS(SELECT 1 FROM task WHERE run = :run) AS task, ' +
			'EXISTS(SELECT 1 FROM region WHERE run = :run) AS region';
		const [has] = (await run('query', ['--format=json', id(), sql], app.signal())).tables[0].rows;
		return has.task ? 'task' : has.region ? 'region' : null;
	}
	// Without a subject: the slowest tasks, else regions, beside the path of the whole run.
	async function entry() {
		const kind = await kindOf(), list = ['--' + kind + '=.', '-n20', '--format=json', id(), 'requests'];
		if (!kind) return;
		const head = await run('path', list, app.signal()), title = 'The slowest ' + kind + 's';
		const one = row => kind === 'task' ? {task: row.id} : {region: row.name, from: row.from_ns, to: row.to_ns};
		const lead = row => [
			{text: 'Why it took so long', act: () => app.select(one(row))},
			{text: 'All of this type', act: () => app.select({[kind]: row.name})},
		];
		root.append(el('h2', null, title), el('p', {class: 'note'}, 'Pick one to see why it took so long.'),
			command('path', list), table(head.tables[0], {caption: title, ticks: app.run().ticks, lead, cut: head.cut[0]}),
			el('h2', null, 'The whole run'));
	}
	// In place of a comparison of a few requests.
	function few(e) {
		if (!/blame compares three requests or more/.test(e.message)) throw e;
		const other = {task: null, request: null, region: null, goroutine: null, group: null, from: null, to: null};
		root.append(nothing('The comparison needs at least three requests; select more.'),
			...subject(app) ? [button('compare all requests', () => app.select(other))] : []);
	}
	async function update() {
		const s = app.selection, of = subject(app), report = s['path.report'] || 'totals',
			single = of === 'task' && /^\d+$/.test(String(s.task));
		const which = s['path.which'] || '1', asks = of && !single && !OF_ALL.has(report);
		const name = report === 'totals' || report === 'hops' ? 'summary' : report;
		const all = !of && ['requests', 'blame'].includes(name) && await kindOf();
		const list = [asks && which !== 'all' && '--slowest=' + which, all && '--' + all + '=.',
			...words(app, 'path', report === 'wakers' ? [] : ['reason']), ...json, id(), name].filter(Boolean);
		root.replaceChildren();
		if (!of && !s['path.report'] && s.from === undefined && s.to === undefined) await entry();
		root.append(buttons(REPORTS, report, v => app.select({'path.report': v === 'totals' ? null : v}), 'Report'),
			...asks ? [buttons(WHICH, which, v => app.select({'path.which': v === '1' ? null : v}), 'Which requests')] : [],
			command('path', list));
		const head = await run('path', list, app.signal()).catch(few);
		if (!head) return;
		const said = sentences(head.notes), hops = head.tables.find(t => t.name === 'hops');
		root.append(el('div', {class: 'said'}, said.map((n, i) => el('p', {class: i ? null : 'note'}, n))),
			...head.messages.map(n => el('p', {class: 'lost'}, n)));
		if (hops && hops.rows.length) root.append(picture(app, hops) || '');
		root.append(show(head, report, head.tables.find(t => t.name === report)));
	}
	return {update, close() {}};
}

export default {name: 'path', title: 'Path', key: 'p', open};
