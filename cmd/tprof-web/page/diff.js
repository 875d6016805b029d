// Two runs, or two sets of them, compared: tprof-diff with its verdicts.
import {el, button, command, format, nothing, picker} from './dom.js';
import {run} from './ask.js';
import {words} from './selection.js';
import {table} from './table.js';
import {alike, alone, keepTime, sets} from './runs.js';

const VIEWS = ['metrics', 'cpu', 'running', 'offcpu', 'sched', 'syscall', 'wall'];
const PER = ['second', 'task', 'run'];
const BY = ['function', 'line', 'file', 'stack', 'label'];
const CHANGED = new Set(['changed', 'differs']);

// What a metric leads on to; its time is in the new run.
function metricLeads(app, row) {
	const to = (text, view, changes) => ({text, act: () => app.go(view, changes)});
	const report = {block: 'block', sched: 'sched', syscall: 'syscalls', gc: 'gc', stw: 'stops', cpu: 'cpu'}[row.family];
	if (row.by === 'group' && row.name)
		return [
			to('States and reasons of these goroutines', 'top', {report: 'breakdown', group: row.name}),
			to('Their timeline', 'timeline', {group: row.name})
		];
	if ((row.family === 'task' || row.family === 'region') && row.name)
		return [
			to('Path of the slowest', 'path', {[row.family]: row.name}),
			to('All of them', 'top', {report: row.family, [row.family]: row.name})
		];
	if (row.by === 'reason' && row.name) return [to('Where they wait', 'top', {report: 'block', reason: row.name})];
	return [to('The report', 'top', {report: report || 'overview'})];
}

function profileLeads(app, row, base) {
	if (!row.function || row.status === 'total') return [];
	return [
		{text: 'Differential flame graph', act: () => app.go('flame', {base, focus: row.function})},
		{text: 'Callers and callees', act: () => app.go('top', {report: 'peek', focus: row.function})}
	];
}

// Growth and shrinkage beyond the noise have a colour, as on a terminal.
function tone(tr, row, columns) {
	const delta = row.delta === undefined ? row.flat_delta : row.delta;
	if (!delta || ('verdict' in row && !CHANGED.has(row.verdict))) return;
	for (const title of ['DELTA', 'CHANGE']) {
		const cell = tr.cells[columns.indexOf(title)];
		if (cell) cell.classList.add(delta > 0 ? 'up' : 'down');
	}
}

// ---- the view ----

// Sections of a diff of traces as buttons, the changes first.
function sections(app, rows, now) {
	const names = [...new Set(rows.map(r => r.section))], changed = rows.filter(r => CHANGED.has(r.verdict)).length;
	return el('div', {class: 'picks', role: 'group', 'aria-label': 'Sections'},
		[['changes', changed], ['all', rows.length], ...names.map(n => [n, rows.filter(r => r.section === n).length])].map(
			([name, n]) => button(name + ' ' + format('count', n), () => app.select({'diff.section': name}),
				{'aria-pressed': String(name === now)})));
}

function open(app, root) {
	// The sides that are picked: the base of the selection, else the run before it, or the next.
	function chosen() {
		const mine = alike(app), options = [
			...mine.map(r => [String(r.id), r.id + ' ' + r.name]),
			...sets(mine).map(([text, n]) => [text, text + ' (' + n + ' runs)'])
		];
		const has = v => options.some(([k]) => k === v), s = app.selection;
		const now = has(s['diff.new']) ? s['diff.new'] : String(app.run().id);
		const kin = mine.filter(r => String(r.id) !== now), other = kin.findLast(r => r.id < app.run().id) || kin[0];
		return {options, now, base: has(String(s.base)) ? String(s.base) : other && String(other.id)};
	}
	const pickNew = v => app.select(/^\d+$/.test(v) ? {run: Number(v), 'diff.new': null} : {'diff.new': v});

	function tools({options, now, base}, trace, view) {
		const s = app.selection, set = (key, usual) => v => app.select({[key]: v === usual ? null : v});
		return el('div', {class: 'tools'}, picker('old', options, base, v => app.select({base: v})),
			button('swap',
				() => app.select({base: now, ...(/^\d+$/.test(base) ? {run: Number(base), 'diff.new': null} : {'diff.new': base})}),
				{title: 'exchange old and new'}),
			picker('new', options, now, pickNew),
			trace && picker('compare', VIEWS, view || 'metrics', set('diff.view', 'metrics')),
			trace && !view ? picker('totals per', PER, s['diff.per'] || 'second', set('diff.per', 'second')) :
				picker('by', BY, s['diff.by'] || 'function', set('diff.by', 'function')),
			(!trace || view) &&
				button('differential flame graph', () => app.go('flame', {base, ...view && {'flame.view': view}})),
			trace && (s.from !== undefined || s.to !== undefined) &&
				button('compare this time with another', () => keepTime(app)));
	}
	async function update() {
		const side = chosen(), trace = app.run().kind === 'trace', s = app.selection, view = trace && s['diff.view'];
		if (!side.base) return root.replaceChildren(...alone(app, 'A comparison needs two runs of one kind.', true));
		const metrics = trace && !view, how = [
			view && '--view=' + view, metrics && s['diff.per'] && '--per=' + s['diff.per'],
			!metrics && s['diff.by'] && '--by=' + s['diff.by']
		].filter(Boolean);
		const list = [
			'--base-label=' + side.base, '--label=' + side.now, ...how,
			...words(app, 'diff', metrics ? ['state', 'reason'] : []), '-n0', '--format=json', '@'
		];
		root.replaceChildren(tools(side, trace, view), command('diff', list));
		const head = await run('diff', list, app.signal()), [sheet] = head.tables;
		root.append(el('div', {class: 'notes'}, head.notes.map(n => el('p', {class: 'note'}, n))),
			...head.messages.map(n => el('p', {class: 'lost'}, n)));
		if (!sheet || !sheet.rows.length) return root.append(nothing('The two sides have nothing to compare.'));
		// The columns of the command's table, also where a section has none of their values.
		const columns = sheet.columns.filter(c => !c.raw && sheet.rows.some(r => r[c.name] !== null && r[c.name] !== ''))
			.map(c => c.name),
			row = (tr, r) => tone(tr, r, columns);
		if (!metrics)
			return root.append(table(sheet, {caption: 'Differences', columns, row, lead: r => profileLeads(app, r, side.base)}));
		const usual = sheet.rows.some(r => CHANGED.has(r.verdict)) ? 'changes' : 'all', section = s['diff.section'] || usual;
		const rows = section === 'all' ?
			sheet.rows :
			sheet.rows.filter(r => section === 'changes' ? CHANGED.has(r.verdict) : r.section === section);
		root.append(sections(app, sheet.rows, section), table({...sheet, rows}, {
			caption: 'Metrics, ' + section,
			columns,
			row,
			lead: r => metricLeads(app, r),
			none: 'No metric differs by more than the noise; the sections have the values.'
		}));
	}
	return {update, close() {}};
}

export default {name: 'diff', title: 'Diff', key: 'd', open};
