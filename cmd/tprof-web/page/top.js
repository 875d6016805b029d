// Every table of tprof-top, sorted, filtered, with rows that lead on.
import {el, button, command, nothing, ns} from './dom.js';
import {run, heeding, text} from './ask.js';
import {words, ignored, valueFor} from './selection.js';
import {table} from './table.js';
import {leads} from './lead.js';

// The reports on traces and the keys they are sorted by: tprof-top --help (testdata/web checks this).
export const REPORTS = {
	groups: 'total function count running runnable blocked syscall lost',
	goroutines: 'running id function created ended total runnable blocked syscall lost',
	breakdown: 'total id entry state reason count mean p50 p90 p99 max',
	block: 'total reason count mean p50 p90 p99 max',
	locks: 'total count mean p50 p90 p99 max holder holder_entry held longest',
	sched: 'total reason count mean p50 p90 p99 max',
	syscalls: 'total state count mean p50 p90 p99 max',
	cpu: 'flat function cum',
	gc: 'total name count incomplete mean p50 p90 p99 max worst swept reclaimed',
	stops: 'duration at cause goroutine',
	heap: 'heap at live goal growth rate since mark stw background assist sweep',
	mmu: 'window mmu worst',
	tasks: 'total name count incomplete mean p50 p90 p99 max worst regions logs',
	task: 'latency id name start running syscall runnable blocked children regions logs goroutines',
	regions: 'total name count incomplete mean p50 p90 p99 max worst running runnable blocked syscall',
	region: 'latency name task goroutine start running runnable blocked syscall',
	logs: 'time task since goroutine category message',
	outliers: 'rank kind what slow middle difference explains slow-with middle-with',
	story: 'time into took goroutine task',
	procs: 'running p utilisation idle starts',
	incident: 'score time usual lowest highest what count longest since',
};
// What they are about, as headings of the buttons that pick them.
const SUBJECTS = [
	['Goroutines', 'groups goroutines breakdown'],
	['Waits', 'block locks sched syscalls'],
	['CPU', 'cpu procs'],
	['Collector', 'gc stops heap mmu'],
	['Incident', 'incident'],
	['Requests', 'tasks task regions region outliers story logs'],
];
// Traces as profiles; in the address with this in front, as some reports have the same names.
const VIEWS = ['cpu', 'running', 'offcpu', 'sched', 'syscall', 'wall'], AS = 'as-';
// Of profiles: what is added up, labels, callers and callees, of dumps of goroutines these, and forms that are texts.
const SUMS = ['functions', 'lines', 'files', 'addresses'], LABELS = ['tags'], CALLS = ['peek', 'tree'],
	STACKS = ['goroutines', 'deadlock'];
const TEXTS = ['traces', 'comments', 'raw'];

// Columns whose sort key is not their name without the unit.
const KEYS = {
	goroutine: 'id',
	held_max_ns: 'longest',
	bytes_per_second: 'rate',
	worst_at_ns: 'worst',
	worst_goroutine: '',
	ts_ns: 'time',
	slow_with: 'slow-with',
	middle_with: 'middle-with',
	created_ns: 'created',
	holder_entry: 'holder_entry'
};

// Returns the key of --sort for a report's column, null if there is none.
export function sortKey(report, column) {
	const keys = (REPORTS[report] || '').split(' ');
	return [column, KEYS[column], column.replace(/_(at_)?ns$|_bytes$/, '')].find(k => keys.includes(k)) || null;
}

// The table of profiles, whose JSON has more than pprof shows, and other headings.
const COLUMNS = {
	top: ['flat', 'flat_share', 'sum_share', 'cum', 'cum_share', 'name'],
	tree: ['function', 'role', 'name', 'flat', 'cum', 'cum_share', 'inlined'],
	labels: ['key', 'label', 'flat_shown', 'flat_share']
};
const TITLES = {flat_share: 'FLAT%', sum_share: 'SUM%', cum_share: 'CUM%'};
const ROWS = 100;
// What tables show for the name of something without a name; elsewhere a state may have no reason.
const EMPTY = {function: '(unknown)', entry: '(unknown)', name: '(no name)'};
const EMPTIES = {
	block: {...EMPTY, reason: '(unknown)'},
	regions: {...EMPTY, name: '(inherited)'},
	region: {...EMPTY, name: '(inherited)'}
};

// Returns the options of table() for a report's sheet, for views that show such tables too.
export function dress(app, sheet, opts) {
	const run = app.run(),
		first =
			sheet.name === 'tree' && new Set(sheet.rows.filter((r, i) => i && r.function !== sheet.rows[i - 1].function));
	return {
		ticks: run && run.ticks,
		row: first && ((tr, row) => tr.classList.toggle('first', first.has(row))),
		columns: COLUMNS[sheet.name],
		titles: COLUMNS[sheet.name] ? TITLES : {},
		empty: EMPTIES[sheet.name] || EMPTY,
		lead: row => leads(app, sheet.name, row),
		...opts
	};
}

function picks(label, names, now, pick, titles = {}) {
	return [
		el('span', {class: 'soft'}, label),
		...names.map(n => button(n.replace(AS, ''), () => pick(n), {'aria-pressed': String(n === now), title: titles[n]}))
	];
}

// Which single tasks and regions count. Their sums become a table of single ones then, or what the slowest differ in.
const CHOICES = [['min', 'at least', '10ms'], ['max', 'at most', '1s'], ['slowest', 'slowest', '1%']],
	CHOOSY = ['tasks', 'task', 'regions', 'region', 'outliers'];
const chosen = s => CHOICES.filter(([key]) => s['top.' + key]);

// The report that a name and these mean, as rep_report_meant of libreport/top has it.
function meant(name, s) {
	if (s['top.slowest'] && CHOOSY.includes(name)) return 'outliers';
	const one = {tasks: 'task', regions: 'region'}[name];
	return one && (chosen(s).length || s[one] || (one === 'task' && s.log)) ? one : name;
}

function traceWords(app, s) {
	const view = VIEWS.find(v => s.report === AS + v), report = view ? null : REPORTS[s.report] ? s.report : 'groups';
	const out =
		[...words(app, 'top'), ...view ? ['--view=' + view, '--unit=auto'] : [], ...s['top.each'] ? ['--each'] : []];
	out.push('-n' + (s['top.rows'] || ROWS));
	if (CHOOSY.includes(report)) for (const [key] of chosen(s)) out.push('--' + key + '=' + s['top.' + key]);
	if (s.sort && report && REPORTS[meant(report, s)].split(' ').includes(s.sort)) out.push('--sort=' + s.sort);
	return {words: [...out, '@' + app.run().id, ...report ? [report] : []], now: view ? AS + view : report};
}

function profileWords(app, s) {
	const now = [...SUMS, ...LABELS, ...CALLS, ...STACKS, ...TEXTS].includes(s.report) ? s.report : 'functions';
	const asText = TEXTS.includes(now), stacks = STACKS.includes(now) && ['sample', 'focus', 'ignore', 'label'];
	const out = words(app, 'top', stacks || (now === 'peek' ? ['focus'] : []));
	if (asText || [...LABELS, ...STACKS].includes(now)) out.push('--' + now);
	else if (CALLS.includes(now))
		out.push('--unit=auto', now === 'peek' ? '--peek=' + (s.focus ? valueFor('focus', s.focus) : '.') : '--tree');
	else out.push('--unit=auto', ...now === 'functions' ? [] : ['--granularity=' + now]);
	if (s['top.rows'] === '0') out.push('--no-trim');
	if (s.sort === 'cum') out.push('--cum');
	return {words: [...out, '@' + app.run().id], now, asText};
}

// Divides the notes among several sheets: "NAME: …" begins those of the sheet of this name. Returns
// [[those before all sheets], [those of the first], …].
function divide(notes, sheets) {
	const out = [[], ...sheets.map(() => [])];
	let at = 0;
	for (const n of notes) {
		if (sheets.length > 1) at = sheets.findIndex(t => n.startsWith(t.name + ': ')) + 1 || at;
		out[at].push(n);
	}
	return out;
}

// Returns a note of the command; the times of --from and --to are as exact there as they have to be on a command line.
function note(text) {
	return el('p', {class: 'note'},
		!text.startsWith('only: ') ? text :
			text.replace(/\b(from|to) (\d+)(ns|us|ms|s)\b/g,
				(_, word, n, unit) => word + ' ' + ns(n * {ns: 1, us: 1e3, ms: 1e6, s: 1e9}[unit])));
}

export default {
	name: 'top', title: 'Top', key: 't',
	open(app, root) {
		const tools = el('div'), body = el('div', {class: 'body'});
		root.append(tools, body);
		const pick = changes => app.select({
			'top.rows': null,
			sort: null,
			q: null,
			'top.each': null,
			'top.slowest': null,
			...CHOOSY.includes(changes.report) ? {} : {'top.min': null, 'top.max': null},
			...changes
		});
		let samples = null, filter = null;

		function drawTrace(now) {
			const line = (label, names) => el('div', {class: 'picks'}, picks(label, names, now, report => pick({report}))),
				each = now === 'breakdown' &&
				el('label', {class: 'picks'}, el('input', {
					type: 'checkbox',
					checked: !!app.selection['top.each'],
					change: e => app.select({'top.each': e.target.checked ? 1 : null})
				}),
					' a row for each goroutine');
			tools.replaceChildren(el('div', {class: 'subjects'}, SUBJECTS.map(([label, names]) => line(label, names.split(' '))),
				line('As a profile', VIEWS.map(v => AS + v)), each, CHOOSY.includes(now) && choices()));
		}
		function field(key, label, value, like, made = text => text) {
			return el('label', null, label + ' ', el('input', {
				type: 'text',
				size: made('') ? 28 : 8,
				value: value || '',
				placeholder: like,
				change: e => {
					const text = e.target.value.trim();
					app.select({[key]: text ? made(text) : null, sort: null});
				}
			}));
		}
		// Fields of --min, --max, --slowest and --log.
		function choices() {
			const s = app.selection;
			return el('div', {class: 'picks'}, el('span', {class: 'soft'}, 'Only'),
				CHOICES.map(([key, label, like]) => field('top.' + key, label, s['top.' + key], like)),
				field('log', 'with log', s.log, 'regex'));
		}
		async function drawProfile(now, signal) {
			const id = app.run().id;
			if (!samples || samples.id !== id) samples = {id, names: await sampleTypes(id, signal), format: app.run().format};
			tools.replaceChildren(el('div', {class: 'subjects'},
				samples.names.length > 1 &&
					el('div', {class: 'picks'},
						picks('Values', samples.names, app.selection.sample || samples.names[samples.names.length - 1],
							sample => app.select({sample}))),
				el('div', {class: 'picks'}, picks('Add up by', SUMS, now, report => pick({report}))),
				el('div', {class: 'picks'},
					picks('Labels', LABELS, now, report => pick({report}),
						{tags: 'the values of all labels, and what samples with them add up to'})),
				el('div', {class: 'picks'},
					picks('Calls', CALLS, now, report => pick({report}),
						{peek: 'callers and callees of the selected function, else of all'}),
					now === 'peek' &&
						field('focus', 'of', app.selection.focus && valueFor('focus', app.selection.focus), 'regex', text => '~' + text)),
				/^goroutine/.test(samples.format) &&
					el('div', {class: 'picks'},
						picks('Goroutines', STACKS, now, report => pick({report}), {deadlock: 'goroutines that may be deadlocked'})),
				el('div', {class: 'picks'}, picks('As text', TEXTS, now, report => pick({report})))));
		}
		function drawSheets({head, ignored: refused}) {
			const s = app.selection, sheets = head.tables, lost = ignored(app, 'top', refused),
				said = head.notes.some(n => n.startsWith('nothing to show')), [first, ...own] = divide(head.notes, sheets);
			return [
				lost.length && note('This table ignores: ' + lost.join(', ') + '.'), first.map(note), head.messages.map(note),
				...sheets.flatMap((sheet, i) => [own[i].map((n, k) => k ? note(n) : el('h2', null, n)),
					(sheet.rows.length || !said) && table(sheet, dress(app, sheet, {
						cut: i ? undefined : head.cut[0],
						all: () => app.select({'top.rows': '0'}),
						filter,
						onfilter: q => {
							filter = q;
							app.select({q}, {replace: true});
						},
						sort: s.sort ? sortOf(sheet, s.sort) : null,
						onsort: name => {
							const key =
								sheet.name === 'top' ? {flat: 'flat', cum: 'cum'}[name] : sortKey(sheet.name, name);
							if (key) app.select({sort: key});
							return !!key;
						},
						none: 'There are no rows' + (words(app, 'top').length ? ' in what is selected' : '') + '.',
					}))]),
				!sheets.length && !said && nothing('This run has nothing of this in what is selected.')
			];
		}
		// The column that the command has sorted by, with the direction that it chose.
		function sortOf(sheet, key) {
			const column = sheet.columns.find(c => (sheet.name === 'top' ? c.name : sortKey(sheet.name, c.name)) === key),
				rows = sheet.rows;
			return column ? {
				name: column.name,
				theirs: true,
				down: rows.length > 1 && rows[0][column.name] > rows[rows.length - 1][column.name]
			} :
				null;
		}
		async function update() {
			const signal = app.signal(), s = app.selection, trace = app.run().kind === 'trace';
			const asked = trace ? traceWords(app, s) : profileWords(app, s);
			if (trace) drawTrace(asked.now); else await drawProfile(asked.now, signal);
			if (body.dataset.of === JSON.stringify(asked) && filter === (s.q || '')) return; // typing in the filter
			filter = s.q || '';
			let shown, by = asked.words;
			if (asked.asText) shown = el('pre', {class: 'scroll', tabindex: 0}, await text('top', asked.words, signal));
			else {
				const answer = await heeding('top', by, signal);
				shown = drawSheets(answer);
				by = answer.words;
			}
			body.replaceChildren(...[shown].flat(3).filter(Boolean), command('top', by));
			body.dataset.of = JSON.stringify(asked);
			root.scrollTop = 0;
		}
		return {
			async update() {
				try {
					await update();
				} catch (e) {
					if (e.name !== 'AbortError') { body.replaceChildren(); delete body.dataset.of; }
					throw e;
				}
			},
			close() {},
		};
	},
};

// Returns the names of a profile's sample types.
export async function sampleTypes(id, signal) {
	try {
		const head = await run('query', ['@', 'select type from sample_type where run = ' + id + ' order by row'], signal);
		return head.tables[0].rows.map(r => r.type);
	} catch (e) {
		if (e.name === 'AbortError') throw e;
		return [];
	}
}
