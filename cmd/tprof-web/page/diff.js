// Two runs, or two sets of them, compared: tprof-diff with its verdicts.
import {el, button, command, format, nothing, ns, bytes, count} from './dom.js';
import {run} from './ask.js';
import {words} from './selection.js';
import {table} from './table.js';

const VIEWS = ['metrics', 'cpu', 'running', 'offcpu', 'sched', 'syscall', 'wall'];
const PER = ['second', 'task', 'run'];
const BY = ['function', 'line', 'file', 'stack', 'label'];
const CHANGED = new Set(['changed', 'differs']);

// ---- texts, as the command's tables have them: libreport/diff ----

function digits(v) {
	return Math.abs(v) >= 99.95 && Math.abs(v) < 9e18 ? count(Math.round(v)) : format('float', v);
}

// A value of a metric of traces (of_traces.c).
function ofMetric(v, row) {
	const behind = row.stat === 'rate' || row.per === 'second' ? '/s' : row.per === 'task' ? '/task' : '';
	if (v === null) return '';
	if (row.stat === 'share') return (v * 100).toFixed(1) + '%';
	if (row.stat === 'rate' || row.stat === 'count') return digits(v) + behind;
	if (row.unit === 'ticks') return digits(v) + ' ticks' + behind;
	return (v !== 0 && Math.abs(v) < 10 ? format('float', v) + 'ns' : ns(v)) + behind;
}

// A value of a profile (amount.c).
function ofProfile(v, row) {
	if (row.unit === 'bytes') return bytes(v);
	if (row.unit === 'nanoseconds') return ns(v);
	return count(v) + (row.unit && row.unit !== 'count' ? ' ' + row.unit : '');
}

function percent(v) {
	const p = v * 100, size = Math.abs(p), sign = p > 0 ? '+' : '-';
	if (size >= 99950) return (p > 0 ? '+' : '') + (v + 1).toFixed(0) + 'x';
	return p === 0 ? '0%' : size < 0.05 ? sign + '<0.1%' : sign + size.toFixed(1) + '%';
}

function change(row, delta, part) {
	if (delta !== 0 && (row.status === 'added' || row.status === 'gone')) return row.status === 'added' ? 'new' : 'gone';
	if (part === null && delta !== 0) return delta === null ? '' : delta > 0 ? '+∞' : '-∞';
	return percent(delta === 0 ? 0 : part);
}

const signed = (v, text) => v === null ? '' : (v > 0 ? '+' : '') + text;

function interval(row) {
	if (row.delta_low === null || !(row.old > 0)) return '';
	const end = v => {
		const p = v / row.old * 100;
		return Math.abs(p) >= 999.5 ? (p > 0 ? '>999' : '<-999') : (p < 0 ? '' : '+') + p.toFixed(Math.abs(p) < 9.95 ? 1 : 0);
	};
	return end(row.delta_low) + '..' + end(row.delta_high) + '%';
}

const chance = row => row.q === null ? '' : row.q < 0.0001 ? '<.0001' : row.q.toFixed(4);

// ---- tables ----

// Returns the sheet with columns that show what the command's table does, and which these are.
function metricsSheet(sheet) {
	const texts = {old: ['OLD', r => ofMetric(r.old, r)], new: ['NEW', r => ofMetric(r.new, r)], delta: ['DELTA', r => signed(r.delta, ofMetric(r.delta, r))],
		change: ['CHANGE', r => change(r, r.delta, r.change)], delta_low: ['95%', interval], q: ['Q', chance]};
	const sets = sheet.rows.some(r => r.n_old > 1 || r.n_new > 1);
	return {sheet: dressed(sheet, texts, {verdict: 'VERDICT'}), columns: ['metric', 'old', 'new', 'delta', 'change', 'delta_low', ...sets ? ['q'] : [], 'verdict']};
}

function profileSheet(sheet) {
	const name = sheet.columns[sheet.columns.length - 1].name, noise = sheet.columns.some(c => c.name === 'noise'), sets = sheet.columns.some(c => c.name === 'n_old');
	const mark = (r, text) => noise && r.verdict === 'noise' && r.flat_old !== r.flat_new ? '~' + text : text;
	const texts = {flat_old: ['OLD', r => ofProfile(r.flat_old, r)], flat_new: ['NEW', r => ofProfile(r.flat_new, r)],
		flat_delta: ['DELTA', r => mark(r, signed(r.flat_delta, ofProfile(r.flat_delta, r)))], flat_change: ['CHANGE', r => mark(r, change(r, r.flat_delta, r.flat_change))],
		flat_share: ['SHARE', r => percent(r.flat_share)], cum_delta: ['CUM DELTA', r => signed(r.cum_delta, ofProfile(r.cum_delta, r))], q: ['Q', chance]};
	return {sheet: dressed(sheet, texts, {verdict: 'VERDICT', [name]: name.toUpperCase()}),
		columns: ['flat_old', 'flat_new', 'flat_delta', 'flat_change', ...sets ? ['q', 'verdict'] : ['flat_share', ...name === 'stack' ? [] : ['cum_delta']], name]};
}

function dressed(sheet, texts, titles) {
	return {...sheet, columns: sheet.columns.map(c => texts[c.name] ? {...c, title: texts[c.name][0], text: texts[c.name][1]} : titles[c.name] ? {...c, title: titles[c.name]} : c)};
}

// What a metric leads on to; its time is in the new run.
function metricLeads(app, row) {
	const to = (text, view, changes) => ({text, act: () => app.go(view, changes)});
	const report = {block: 'block', sched: 'sched', syscall: 'syscalls', gc: 'gc', stw: 'stops', cpu: 'cpu'}[row.family];
	if (row.by === 'group' && row.name) return [to('States and reasons of these goroutines', 'top', {report: 'breakdown', group: row.name}), to('Their timeline', 'timeline', {group: row.name})];
	if ((row.family === 'task' || row.family === 'region') && row.name) return [to('Path of the slowest', 'path', {[row.family]: row.name}), to('All of them', 'top', {report: row.family, [row.family]: row.name})];
	if (row.by === 'reason' && row.name) return [to('Where they wait', 'top', {report: 'block', reason: row.name})];
	return [to('The report', 'top', {report: report || 'overview'})];
}

function profileLeads(app, row, base) {
	if (!row.function || row.status === 'total') return [];
	return [{text: 'Differential flame graph', act: () => app.go('flame', {base, focus: row.function})}, {text: 'Callers and callees', act: () => app.go('top', {report: 'peek', focus: row.function})}];
}

// Growth and shrinkage beyond the noise have a colour, as on a terminal.
function tone(tr, row, columns, plain) {
	const delta = row.delta === undefined ? row.flat_delta : row.delta;
	if (!delta || !(plain || CHANGED.has(row.verdict))) return;
	for (const name of ['delta', 'change', 'flat_delta', 'flat_change'])
		if (columns.includes(name)) tr.cells[columns.indexOf(name)].classList.add(delta > 0 ? 'up' : 'down');
}

// ---- the view ----

// What a side may be: a run, or the runs of a label or name.
function sides(runs) {
	const sets = new Map();
	for (const r of runs)
		for (const text of [...(r.labels || '').split(',').filter(Boolean), r.name]) sets.set(text, (sets.get(text) || 0) + 1);
	return [...runs.map(r => [String(r.id), r.id + ' ' + r.name]), ...[...sets].filter(([, n]) => n > 1).map(([text, n]) => [text, text + ' (' + n + ' runs)'])];
}

function pick(label, options, now, act) {
	const select = el('select', {change: () => act(select.value)}, options.map(o => Array.isArray(o) ? el('option', {value: o[0]}, o[1]) : el('option', {value: o}, o)));
	select.value = now;
	return el('label', null, label + ' ', select);
}

// Sections of a diff of traces as buttons, the changes first.
function sections(app, rows, now) {
	const names = [...new Set(rows.map(r => r.section))], changed = rows.filter(r => CHANGED.has(r.verdict)).length;
	return el('div', {class: 'picks', role: 'group', 'aria-label': 'Sections'}, [['changes', changed], ['all', rows.length], ...names.map(n => [n, rows.filter(r => r.section === n).length])].map(([name, n]) =>
		button(name + ' ' + format('count', n), () => app.select({'diff.section': name}), {'aria-pressed': String(name === now)})));
}

function open(app, root) {
	// The sides that are picked: the base of the selection, else the first other run.
	function chosen() {
		const options = sides(app.runs), has = v => options.some(([k]) => k === v), s = app.selection;
		const now = has(s['diff.new']) ? s['diff.new'] : String(app.run().id);
		const other = app.runs.find(r => r.kind === app.run().kind && String(r.id) !== now);
		return {options, now, base: has(String(s.base)) ? String(s.base) : other && String(other.id)};
	}
	const pickNew = v => app.select(/^\d+$/.test(v) ? {run: Number(v), 'diff.new': null} : {'diff.new': v});

	function tools({options, now, base}, trace, view) {
		const s = app.selection, set = (key, usual) => v => app.select({[key]: v === usual ? null : v});
		return el('div', {class: 'tools'}, pick('old', options, base, v => app.select({base: v})), button('swap', () => app.select({base: now, ...(/^\d+$/.test(base) ? {run: Number(base), 'diff.new': null} : {'diff.new': base})}), {title: 'exchange old and new'}),
			pick('new', options, now, pickNew), trace && pick('compare', VIEWS, view || 'metrics', set('diff.view', 'metrics')),
			trace && !view ? pick('totals per', PER, s['diff.per'] || 'second', set('diff.per', 'second')) : pick('by', BY, s['diff.by'] || 'function', set('diff.by', 'function')),
			(!trace || view) && button('differential flame graph', () => app.go('flame', {base, ...view && {'flame.view': view}})));
	}
	async function update() {
		const side = chosen(), trace = app.run().kind === 'trace', s = app.selection, view = trace && s['diff.view'];
		if (!side.base) return root.replaceChildren(nothing('A comparison needs two runs of the same kind. Start tprof-web with both dumps: tprof-web OLD NEW.'));
		const metrics = trace && !view, how = [view && '--view=' + view, metrics && s['diff.per'] && '--per=' + s['diff.per'], !metrics && s['diff.by'] && '--by=' + s['diff.by']].filter(Boolean);
		const list = ['--base-label=' + side.base, '--label=' + side.now, ...how, ...words(app, 'diff', metrics ? ['state', 'reason'] : []), '-n0', '--format=json', '@'];
		root.replaceChildren(tools(side, trace, view), command('diff', list));
		const head = await run('diff', list, app.signal()), [sheet] = head.tables;
		root.append(el('div', {class: 'notes'}, head.notes.map(n => el('p', {class: 'note'}, n))), ...head.messages.map(n => el('p', {class: 'lost'}, n)));
		if (!sheet || !sheet.rows.length) return root.append(nothing('The two sides have nothing to compare.'));
		const {sheet: shown, columns} = metrics ? metricsSheet(sheet) : profileSheet(sheet);
		if (!metrics) return root.append(table(shown, {caption: 'Differences', columns, lead: row => profileLeads(app, row, side.base), row: (tr, row) => tone(tr, row, columns, !('verdict' in row))}));
		const usual = sheet.rows.some(r => CHANGED.has(r.verdict)) ? 'changes' : 'all', section = s['diff.section'] || usual;
		const rows = section === 'all' ? sheet.rows : sheet.rows.filter(r => section === 'changes' ? CHANGED.has(r.verdict) : r.section === section);
		root.append(sections(app, sheet.rows, section), table({...shown, rows}, {caption: 'Metrics, ' + section, columns, lead: row => metricLeads(app, row), row: (tr, row) => tone(tr, row, columns),
			none: 'No metric differs by more than the noise; the sections have the values.'}));
	}
	return {update, close() {}};
}

export default {name: 'diff', title: 'Diff', key: 'd', kinds: ['trace', 'profile'], open};
