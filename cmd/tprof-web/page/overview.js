// The first page: what the run is, what costs most, and the first rows of each report.
import {el, svg, button, command, format, failure, nothing} from './dom.js';
import {run, heeding, address} from './ask.js';
import {words, ignored} from './selection.js';
import {table} from './table.js';
import {leads} from './lead.js';
import {dress} from './top.js';
import {heat} from './overview/heat.js';

const ROWS = 5, READ = 50; // rows shown of each table, and rows that the sentences lead to
// Blocked time is left out of the bars: it is so much more that nothing else could be seen.
const STATES = [['running_ns', 'running'], ['runnable_ns', 'waiting for a P'], ['syscalls_ns', 'in system calls']];
const FILL = {running_ns: 's0', runnable_ns: 's1', syscalls_ns: 's2'};

const sum = (rows, column) => rows.reduce((n, r) => n + r[column], 0);
const counted = (n, noun) => format('count', n) + ' ' + noun + (n === 1 ? '' : 's');

// ---- sentences ----

// The sentence with the first name in it in bold.
function sentence({finding, name}) {
	const at = name ? finding.indexOf(name) : -1;
	return at < 0 ? finding : [finding.slice(0, at), el('b', null, name), finding.slice(at + name.length)];
}

function findings(app, sheets) {
	const found = sheets.find(s => s.name === 'findings');
	if (!found || !found.rows.length) return [];
	return [
		el('h2', null, 'What costs most'), el('ul', {class: 'findings'}, found.rows.map(f => {
			const sheet = sheets.find(s => s.name === f.report), row = sheet && sheet.rows[f.row],
				[, key] = /^--sort=(.*)$/.exec(f.options) || [];
			return el('li', null, el('p', null, sentence(f)),
				el('p', {class: 'leads'}, row ? leads(app, f.report, row).slice(0, 2).map(w => button(w.text, w.act)) : [],
					button(
						'Top: ' + f.report, () => app.go('top', {report: f.report, sort: key || null}), {title: 'the whole report'})));
		}))
	];
}

// ---- states of groups, as bars ----

// The hatching tells the states apart without their colours.
function bar(row, whole) {
	const parts = [];
	let x = 0;
	for (const [column] of STATES) {
		const w = 1000 * row[column] / whole;
		if (w > 0) parts.push(svg('rect', {class: FILL[column], x, y: 0, width: w, height: 16}));
		if (column === 'runnable_ns' || column === 'syscalls_ns')
			for (let i = 4; i < w; i += 8)
				parts.push(svg('path', {
					class: 'hatch',
					d: column === 'runnable_ns' ? 'M' + (x + i) + ' 16L' + Math.min(x + i + 4, x + w) + ' 0' : 'M' + (x + i) + ' 0V16'
				}));
		x += w;
	}
	return svg('svg', {viewBox: '0 0 1000 16', preserveAspectRatio: 'none', role: 'img', 'aria-label': told(row)},
		svg('title', null, told(row)), parts);
}
const told = row => STATES.map(([c, name]) => name + ' ' + format('ns', row[c])).join(', ');

function states(app, sheet) {
	const busy = row => row.running_ns + row.runnable_ns + row.syscalls_ns,
		rows = sheet ? sheet.rows.filter(busy).sort((a, b) => busy(b) - busy(a)).slice(0, 8) : [];
	if (!rows.length) return [];
	const ticks = app.run().ticks, whole = busy(rows[0]),
		sample = column => bar({running_ns: 0, runnable_ns: 0, syscalls_ns: 0, [column]: 1}, 1);
	return [el('h2', null, 'Which goroutines were busy'), el('div', {class: 'legend'}, STATES.map(([c, name]) => {
		const s = sample(c);
		s.setAttribute('viewBox', '0 0 24 16');
		s.setAttribute('width', 24);
		s.setAttribute('height', 12);
		return el('span', null, s, name);
	})), el('div', {class: 'states'}, rows.flatMap(row => {
		const [first] = leads(app, 'groups', row), name = row.function || '(unknown)';
		return [
			first ? button(name, first.act, {class: 'link who', title: name + ': ' + first.text}) :
				el('span', {class: 'who'}, name),
			bar(row, whole),
			el('span', {class: 'sum'},
				counted(row.count, 'goroutine') + ', busy ' + format('ns', busy(row), ticks) + ', blocked ' +
					format('ns', row.blocked_ns, ticks))
		];
	}))];
}

// ---- the page ----

function facts(run) {
	const list = [
		['Run', run.name], ['Format', run.format],
		[
			run.ticks ? 'Ticks' : 'Lasts',
			run.kind === 'trace' || run.duration_ns > 0 ? format('ns', run.duration_ns, run.ticks) : null
		],
		[run.kind === 'trace' ? 'Events' : 'Samples', format('count', run.events)],
		['Goroutines', run.goroutines ? format('count', run.goroutines) : null], ['Recorded (UTC)', run.time],
		['Labels', run.labels], ['Lost', run.losses ? 'some data, see below' : 'nothing']
	];
	return el('dl', {class: 'facts'},
		list.filter(([, v]) => v && v !== '-').map(([k, v]) => el('div', null, el('dt', null, k), el('dd', null, v))));
}

const title = run => [el('h1', null, run.name), facts(run)];

async function losses(run_, signal) {
	if (!run_.losses) return null;
	const sql = 'select reason, events, bytes, offset from loss where run = ' + run_.id + ' order by offset limit 20',
		head = await run('query', ['@', sql], signal);
	return el('section', {class: 'lost'},
		el('p', null, 'The dump is damaged, and something of it is missing from all numbers:'),
		el('ul', null,
			head.tables[0].rows.map(
				r => el('li', null, r.reason + (r.events ? ' (about ' + counted(r.events, 'event') + ')' : '')))),
		run_.losses > 20 && el('p', null, 'and ' + format('count', run_.losses - 20) + ' more'),
		command('query', ['@', sql]));
}

function charts(asked, sheets) {
	const gc = sheets.find(s => s.name === 'gc');
	if (!gc || !gc.rows.some(r => String(r.name).startsWith('GC'))) return [];
	const figure = (report, alt) => {
		const f = el('figure', null,
			el('img',
				{src: address('top', ['--format=svg', ...asked, report]), alt, width: 960, height: 420, error: () => f.remove()}));
		return f;
	};
	return [
		el('h2', null, 'The collector'),
		el('div', {class: 'charts'}, figure('heap', 'the heap and its goal over time; the report heap has the numbers'),
			figure('mmu', 'minimum mutator utilisation by window; the report mmu has the numbers'))
	];
}

function cards(app, head) {
	const notes = new Map(head.notes.map(n => /^([a-z]+): (.*)$/.exec(n)).filter(Boolean).map(m => [m[1], m[2]]));
	return [
		el('h2', null, 'Reports'),
		el('div', {class: 'cards'},
			head.tables.filter(s => s.rows.length && s.name !== 'findings')
				.map(sheet => el('section', null,
					el('h3', null,
						button(sheet.name, () => app.go('top', {report: sheet.name}), {class: 'link', title: 'the whole report'}),
						notes.has(sheet.name) && el('small', null, ' ' + notes.get(sheet.name))),
					short(app, sheet))))
	];
}

// A card has room for the names and some of the numbers.
function short(app, whole) {
	const sheet = {...whole, rows: whole.rows.slice(0, ROWS)},
		wide = /^(mean|p50|p90|swept|reclaimed|incomplete|syscalls?|unknown|blocked_on|inside_text|regions|logs)(_|$)/;
	const columns = sheet.columns.filter(c => !c.raw && !wide.test(c.name) &&
			!(sheet.name === 'regions' && /^(runn|block)/.test(c.name)) &&
			sheet.rows.some(r => r[c.name] !== '' && r[c.name] !== null));
	return table(sheet, dress(app, sheet, {plain: true, columns: columns.map(c => c.name)}));
}

async function trace(app, signal, root) {
	const filters = words(app, 'top'), at = '@' + app.run().id, map = heat(app, signal);
	// The reports of a long run take seconds; what is there sooner is shown sooner.
	if (!root.childElementCount) {
		root.append(...title(app.run()));
		map.then(parts => root.childElementCount === 2 && root.append(...parts), () => {});
	}
	const [{head, words: by, ignored: refused}, lost, bands] = await Promise.all(
		[heeding('top', ['-n' + READ, ...filters, at, 'overview'], signal), losses(app.run(), signal), map]);
	const sheets = head.tables, heedless = ignored(app, 'top', refused);
	return [
		lost, heedless.length && el('p', {class: 'note'}, 'This page ignores: ' + heedless.join(', ') + '.'),
		head.messages.map(m => el('p', {class: 'note'}, m)), findings(app, sheets), bands,
		states(app, sheets.find(s => s.name === 'groups')), cards(app, head),
		charts([...filters.filter(w => /^--(from|to)=/.test(w)), at], sheets),
		sheets.every(s => !s.rows.length) && nothing('Nothing of this run is in what is selected.'),
		command('top', by.slice(1))
	];
}

async function profile(app, signal) {
	const at = '@' + app.run().id,
		types = (await run('query',
			['@', 'select type, unit from sample_type where run = ' + app.run().id + ' order by row'], signal))
			.tables[0]
			.rows;
	const ask = type => ['--unit=auto', '-n10', ...words(app, 'top', ['sample']), '--sample-index=' + type, at];
	const heads = await Promise.all(types.slice(0, 8).map(t => run('top', ask(t.type), signal).catch(e => {
		if (e.name === 'AbortError') throw e;
		return e;
	})));
	return [
		el('div', {class: 'cards'},
			heads.map(
				(head, i) =>
					el('section', null,
						el('h2', null,
							button(types[i].type, () => app.go('top', {sample: types[i].type}), {class: 'link', title: 'the whole table'})),
						head instanceof Error ?
							failure(head) :
							[
								head.notes.filter(n => /^Showing nodes|^Duration/.test(n)).map(n => el('p', {class: 'note'}, n)),
								head.tables.map(
									s => table(s, dress(app, s, {plain: true, columns: ['flat', 'flat_share', 'cum', 'cum_share', 'name']})))
							],
						el('p', {class: 'leads'}, button('Flame', () => app.go('flame', {sample: types[i].type})),
							button('Top', () => app.go('top', {sample: types[i].type}))),
						command('top', ask(types[i].type)))))
	];
}

export default {
	name: 'overview',
	title: 'Overview',
	key: 'o',
	open(app, root) {
		return {
			async update() {
				const signal = app.signal(), run = app.run(),
					parts = await (run.kind === 'trace' ? trace(app, signal, root) : profile(app, signal));
				root.replaceChildren(...[title(run), parts].flat(9).filter(Boolean));
			},
			close() {},
		};
	},
};
