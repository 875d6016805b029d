// What grows from run to run: tprof-top --over=run as a chart and a table.
import {el, button, command, format, nothing, picker} from './dom.js';
import {run} from './ask.js';
import {words} from './selection.js';
import {table} from './table.js';
import {chart, MOST_LINES} from './chart.js';
import {alike, alone, followed, mixed} from './runs.js';

const KINDS = {nanoseconds: 'ns', bytes: 'bytes', count: 'count', share: 'share'};
const VIEWS = ['metrics', 'cpu', 'running', 'offcpu', 'sched', 'syscall', 'wall'];

// Returns a value as the command shows it (libreport/series/show.c): averages below 100 keep two digits.
function value(v, unit) {
	if (v === null || v === undefined) return '-';
	const kind = KINDS[unit] || 'float';
	if (kind !== 'count') return format(kind, kind === 'share' || kind === 'float' ? v : Math.round(v));
	return Math.abs(v) < 100 ? format('float', Math.round(v * 100) / 100) : format('count', Math.round(v));
}

// The lines of a chart; of two runs bars, as a line through two points says no more.
function points(rows, runs) {
	if (runs.length > 2 || rows.length < 2)
		return {lines: rows.map(r => ({name: r.name, y: runs.map(k => r[k])})), labels: runs, bars: runs.length < 3};
	return {lines: runs.map(k => ({name: k, y: rows.map(r => r[k])})), labels: rows.map(r => r.name), bars: true};
}

// The chart: of the row that is picked, else of the first rows if all have the same unit.
function picture(app, sheet, runs) {
	const picked = sheet.rows.find(r => r.name === app.selection['series.row']), first = picked || sheet.rows[0];
	const alike = sheet.rows.every(r => r.unit === first.unit),
		rows = picked || !alike ? [first] : sheet.rows.slice(0, MOST_LINES);
	return [el('h2', null, rows.length > 1 ? 'The first ' + rows.length + ' rows' : first.name,
		picked && alike && [' ', button('show the first rows', () => app.select({'series.row': null}), {class: 'copy'})]),
	chart({...points(rows, runs), text: v => value(v, first.unit), binary: first.unit === 'bytes',
		title: (rows.length > 1 ? 'the first rows' : first.name) + ' over ' + runs.length + ' runs'})];
}

// The columns of the command's table, the name first, with values in the unit of their row.
function sheetOf(sheet, runs) {
	const numbers = ['first', 'last', 'growth', 'least', 'most', ...runs],
		isNumber = c => numbers.includes(c.name) || c.name.startsWith('slope_');
	const columns = sheet.columns.map(c => isNumber(c) ? {...c, text: r => value(r[c.name], r.unit)} : c);
	return {
		sheet: {...sheet, columns},
		columns: ['name', ...columns.filter(c => !c.raw && c.name !== 'name' && !runs.includes(c.name)).map(c => c.name)]
	};
}

function open(app, root) {
	async function update() {
		const s = app.selection, {kind} = app.run(), view = kind === 'trace' && s['series.view'];
		if (alike(app).length < 2) return root.replaceChildren(...alone(app, 'A series follows several runs of one kind.'));
		const options = followed(app), among = options.includes(s['series.runs']) ? s['series.runs'] : options[0];
		if (!among) return root.replaceChildren(...mixed(app));
		const list = [
			'--over=run', '--run=' + among, view && '--view=' + view, ...(view || kind === 'profile' ? words(app, 'top') : []),
			'-n0', '--format=json', '@'
		].filter(Boolean);
		const tools = el('div', {class: 'tools'},
			picker('runs', options, among, v => app.select({'series.runs': v === options[0] ? null : v, 'series.row': null})),
			kind === 'trace' &&
				picker('of traces', VIEWS, view || 'metrics',
					v => app.select({'series.view': v === 'metrics' ? null : v, 'series.row': null})));
		root.replaceChildren(tools, command('top', list));
		const head = await run('top', list, app.signal()), all = head.tables[0];
		root.append(...head.notes.map(n => el('p', {class: 'note'}, n)));
		if (!all || !all.rows.length) return root.append(nothing('These runs have nothing to follow.'));
		const runs = all.columns.slice(all.columns.findIndex(c => c.name === 'name') + 1).map(c => c.name),
			{sheet, columns} = sheetOf(all, runs);
		const pick = row => ({text: 'show it in the chart', act: () => app.select({'series.row': row.name})});
		root.append(
			el('div', null, picture(app, all, runs)), table(sheet, {caption: 'Series', columns, lead: row => [pick(row)]}));
	}
	return {update, close() {}};
}

export default {name: 'series', title: 'Series', key: 's', open};
