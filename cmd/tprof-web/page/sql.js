// SQL on the store: a query, its results as tables or charts, the tables of the store beside it.
import {el, button, command, failure, nothing, format, picker} from './dom.js';
import {text} from './ask.js';
import {table} from './table.js';
import {chart} from './chart.js';

const EXAMPLES = [
	[
		'Goroutines by entry function', 'trace',
		'SELECT name, count(*) AS goroutines, sum(running_ns) AS running_ns, ' +
			'sum(blocked_ns) AS blocked_ns\nFROM goroutine WHERE run = :run GROUP BY name ORDER BY running_ns DESC'
	],
	[
		'Blocked time by reason', 'trace',
		'SELECT reason, sum(count) AS waits, fmt_ns(sum(total_ns)) AS waited\n' +
			'FROM goroutine_block WHERE run = :run GROUP BY reason ORDER BY sum(total_ns) DESC'
	],
	[
		'Tasks by type', 'trace',
		'SELECT name, count(*) AS tasks, fmt_ns(p50(end_ns - start_ns)) AS median, ' +
			'fmt_ns(max(end_ns - start_ns)) AS slowest\nFROM task WHERE run = :run GROUP BY name'
	],
	[
		'Goroutines over time', 'trace',
		'SELECT created_ns / 10000000 * 10 AS ms, count(*) AS created\nFROM goroutine WHERE run = :run GROUP BY 1 ORDER BY 1'
	],
	['Runs of the store', '', 'SELECT id, kind, name, format, fmt_ns(duration_ns) AS lasts, lost_bytes FROM run'],
	['What was lost', '', 'SELECT run, offset, bytes, reason FROM loss'],
];
const BARS = 400; // bars that can still be told apart

// Parses JSON; integers that a float would round stay texts of digits.
export function parse(json) {
	return JSON.parse(json.replace(
		/"(?:[^"\\]|\\.)*"|-?\d{16,}(?![\d.eE])/g, m => m[0] === '"' || Number.isSafeInteger(Number(m)) ? m : '"' + m + '"'));
}

// Returns where the command says that a mistake is, [from, to] in the query, or null: "line 2: near "x": …",
// "no such column: x; …".
export function place(query, message) {
	const line = Number((/\bline (\d+): /.exec(message) || [])[1] || 1),
		word =
			(/near "([^"]+)"|no such (?:column|table|function): ([^;\s]+)/.exec(message) || []).slice(1).find(Boolean);
	const start = query.split('\n').slice(0, line - 1).reduce((n, l) => n + l.length + 1, 0);
	if (!word) return line > 1 ? [start, start + query.split('\n')[line - 1].length] : null;
	const at = query.indexOf(word, start);
	return at < 0 ? null : [at, at + word.length];
}

// The tables of what .schema prints: [{name, doc, columns: [{name, type, doc}]}].
export function schemaOf(printed) {
	const tables = [];
	for (const line of printed.split('\n')) {
		const made = /^CREATE (?:VIRTUAL )?(?:TABLE|VIEW) (\w+)\(?(?:\s*-- (.*))?/.exec(line),
			column = /^ {2}(\w+)(?: ([A-Z ]+))?,?(?: -- (.*))?$/.exec(line);
		if (made) tables.push({name: made[1], doc: made[2] || '', columns: []});
		else if (column && tables.length && column[1] !== 'PRIMARY')
			tables[tables.length - 1].columns.push(
				{name: column[1], type: (column[2] || '').split(' ')[0].toLowerCase(), doc: column[3] || ''});
	}
	return tables;
}

function values(rows, name) {
	return rows.map(r => typeof r[name] === 'number' ? r[name] : null);
}

// Columns get keys of their own, as names may be anything, and the kind that their values have.
function sheetOf(result) {
	const kinds =
		result.columns.map(c => result.rows.every(r => r[c.name] === null || typeof r[c.name] === 'number') ? 'id' : 'text');
	return {
		name: result.name,
		columns: result.columns.map((c, i) => ({name: 'c' + i, title: c.name, kind: kinds[i], doc: ''})),
		rows: result.rows.map(r => Object.fromEntries(result.columns.map((c, i) => ['c' + i, r[c.name]])))
	};
}

// A chart of one column over another, and what it shows.
function charted(app, sheet) {
	const s = app.selection,
		numbers = sheet.columns.filter(c => c.kind === 'id' && sheet.rows.some(r => r[c.name] !== null));
	if (!numbers.length || sheet.rows.length < 2) return null;
	const names = sheet.columns.map(c => [c.name, c.title]), kind = s['sql.chart'] || '';
	const kinds = picker(
		'as', [['', 'table'], ['bars', 'bars'], ['line', 'line']], kind, v => app.select({'sql.chart': v}, {replace: true}));
	if (!kind) return el('div', {class: 'tools'}, kinds);
	const x = names.some(([k]) => k === s['sql.x']) ? s['sql.x'] : names[0][0];
	const y = numbers.find(c => c.name === s['sql.y']) || numbers.find(c => c.name !== x) || numbers[0],
		rows = sheet.rows.slice(0, BARS);
	return [
		el('div', {class: 'tools'}, kinds,
			picker('of', numbers.map(c => [c.name, c.title]), y.name, v => app.select({'sql.y': v}, {replace: true})),
			picker('over', names, x, v => app.select({'sql.x': v}, {replace: true})),
			sheet.rows.length > BARS &&
				el('span', null, 'the first ' + BARS + ' of ' + format('count', sheet.rows.length) + ' rows')),
		chart({
			lines: [{name: y.title, y: values(rows, y.name)}],
			labels: rows.map(r => r[x] === '' ? '(empty)' : format('text', r[x])),
			bars: kind === 'bars',
			title: y.title + ' over ' + sheet.columns.find(c => c.name === x).title,
			text: v => Number.isInteger(v) ? format('count', v) : format('float', v)
		})
	];
}

function twice(result) {
	const names = result.columns.map(c => c.name), name = names.find((n, i) => names.indexOf(n) !== i);
	return name !== undefined &&
		el('p', {class: 'lost'},
			'Several columns are called ' + name + ', and all of them show the last one; name them apart with AS.');
}

function results(app, head) {
	if (!head.tables.length) return [nothing('The query has no result.')];
	return head.tables.map((result, i) => {
		const sheet = sheetOf(result), caption = 'Result' + (head.tables.length > 1 ? ' ' + (i + 1) : '');
		return el('section', null, head.tables.length > 1 && el('h2', null, caption),
			el('p', {class: 'note'}, format('count', result.rows.length) + (result.rows.length === 1 ? ' row' : ' rows')),
			twice(result), charted(app, sheet),
			table(sheet, {caption, columns: sheet.columns.map(c => c.name), none: 'No rows.'}));
	});
}

function open(app, root) {
	const box = el('textarea', {
		rows: 7,
		spellcheck: 'false',
		autocapitalize: 'off',
		'aria-label': 'SQL',
		placeholder: 'SELECT …   (Ctrl-Enter runs it)',
		keydown: e => {
			if (e.key !== 'Enter' || !(e.ctrlKey || e.metaKey)) return;
			e.preventDefault();
			start();
		}
	});
	const out = el('div', {class: 'results'}), side = el('aside', {'aria-label': 'Tables of the store'}),
		stop = button('cancel', () => {
			if (busy) busy.abort();
		}, {hidden: true});
	let busy = null, known = null;

	function start() {
		const q = box.value.trim();
		if (q && q === app.selection['sql.q']) answer(q);
		else app.select({'sql.q': q || null, 'sql.chart': null, 'sql.x': null, 'sql.y': null});
	}
	function insert(word) {
		box.setRangeText(word, box.selectionStart, box.selectionEnd, 'end');
		box.focus();
	}
	function fail(q, error) {
		const at = place(q, error.message);
		out.replaceChildren(failure(error), ...at ? [button('go to the place', () => {
			box.focus();
			box.setSelectionRange(...at);
		})] : []);
		if (at && document.activeElement === box && box.value.trim() === q) box.setSelectionRange(...at);
	}
	async function answer(q) {
		const words = ['--format=json', '@' + app.run().id, /^-/.test(q) ? ' ' + q : q];
		if (busy) busy.abort();
		const mine = busy = new AbortController();
		stop.hidden = false;
		out.replaceChildren(command('query', words));
		try {
			const head = parse(await text('query', ['--json-head', ...words], mine.signal));
			if (busy === mine) out.replaceChildren(command('query', words), ...results(app, head));
		} catch (e) {
			if (busy !== mine) return; // another one was started
			if (e.name === 'AbortError') out.append(nothing('The query was cancelled.'));
			else fail(q, e);
		} finally {
			if (busy === mine) {
				busy = null;
				stop.hidden = true;
			}
		}
	}
	async function schema() {
		const ask = word => text('query', ['@', word], new AbortController().signal);
		known = known || Promise.all([ask('.schema'), ask('.help')]);
		const [printed, help] = await known, functions = help.slice(help.indexOf('Functions'));
		side.replaceChildren(el('div', null, el('h2', null, 'Examples'),
			el('ul', {class: 'plain'},
				EXAMPLES.filter(e => !e[1] || e[1] === app.run().kind)
					.map(([name, , sql]) => el('li', null,
						button(name,
							() => {
								box.value = sql;
								start();
							},
							{class: 'link'})))),
			el('h2', null, 'Tables'),
			schemaOf(printed).map(
				t => el('details', null, el('summary', {title: t.doc}, t.name, ' ', el('small', null, t.doc)),
					el('ul', {class: 'plain'},
						t.columns.map(
							c => el('li', null, button(c.name, () => insert(c.name), {class: 'link', title: 'insert ' + c.name}), ' ',
								el('small', null, c.type + (c.doc ? '; ' + c.doc : ''))))))),
			el('details', null, el('summary', null, 'Functions'), el('pre', null, functions))));
	}
	root.append(el('div', {class: 'query'},
		el('div', null, box,
			el('div', {class: 'tools'}, button('run', start, {title: 'Ctrl-Enter'}), stop,
				el('span', null, ':run is the number of the run that is picked')),
			out),
		side));
	return {
		async update() {
			const q = app.selection['sql.q'] || '';
			if (document.activeElement !== box || !box.value) box.value = q;
			await Promise.all([schema(), q ? answer(q) : out.replaceChildren(nothing('Write a query, or take an example.'))]);
		},
		close() { if (busy) busy.abort(); },
	};
}

export default {name: 'sql', title: 'SQL', key: 'q', keys: [['Ctrl-Enter', 'run the query']], open};
