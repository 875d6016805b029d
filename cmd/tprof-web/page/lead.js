// What a row of a table leads on to: cmd/tprof-tui/view/lead.c has the same rules.
import {format} from './dom.js';
import {only} from './selection.js';

// Columns of a moment and its length; the first pair that a row has is used.
const MOMENTS = [
	['worst_at_ns', 'max_ns'],
	['worst_at_ns', 'window_ns'],
	['from_ns', 'total_ns'],
	['at_ns', 'dur_ns'],
	['at_ns', 'duration_ns'],
	['at_ns', 'mark_ns'],
	['start_ns', 'latency_ns'],
	['start_ns', 'dur_ns'],
	['ts_ns', 'took_ns'],
	['created_ns', 'total_ns'],
	['worst_at_ns'],
	['from_ns'],
	['at_ns'],
	['start_ns'],
	['ts_ns'],
	['created_ns'],
];

// Returns {at, dur} of a row in ns, or null.
export function moment(row) {
	for (const [at, dur] of MOMENTS)
		if (typeof row[at] === 'number' && (!dur || row[dur] > 0)) return {at: row[at], dur: dur ? row[dur] : 0};
	return null;
}

const isNamed = text => typeof text === 'string' && text !== '' && text[0] !== '(';

// The report on a state.
const ON = {blocked: 'block', runnable: 'sched', syscall: 'syscalls', 'syscall-blocked': 'syscalls'};

// Where the rows of a report lead, the first by Enter; a falsy place is left out. `r` is the row.
const top = (text, report, changes) =>
	({text, view: 'top', changes: {...changes, report, sort: null, q: null, 'top.rows': null}});
const flame = (text, kind, r, changes) =>
	isNamed(r.function) && {text, view: 'flame', changes: {...changes, focus: r.function, 'flame.view': kind}};
const group = (r, name) => isNamed(name) && [
	top('Its goroutines', 'goroutines', {group: name}), top('States and reasons', 'breakdown', {group: name}),
	{text: 'Timeline', view: 'timeline', changes: {group: name}},
	{text: 'Flame of waits', view: 'flame', changes: {group: name, 'flame.view': 'offcpu'}}
];
const goroutine = (id, at) => typeof id === 'number' && [
	{text: 'Timeline', view: 'timeline', changes: {goroutine: id, at}},
	top('States and reasons', 'breakdown', {goroutine: id}), {text: 'Path', view: 'path', changes: {goroutine: id}}
];
const task = (id, r) => id > 0 && [
	{text: 'Path of the task', view: 'path', changes: {task: id, region: null}},
	{text: 'Timeline of the task', view: 'timeline', changes: {task: id, ...range(r)}},
	top('Its story', 'story', {task: id})
];
const range = r => {
	const m = moment(r);
	return m && m.dur ? {from: m.at, to: m.at + m.dur} : {at: m ? m.at : null};
};
const when = (r, id) => moment(r) && {
	text: 'Timeline at ' + format('ns', moment(r).at),
	view: 'timeline',
	changes: {at: moment(r).at, goroutine: typeof id === 'number' ? id : undefined, ...around(moment(r))}
};
// A stretch of the timeline in which the moment is seen with what is beside it.
const around = m => ({
	'timeline.from': Math.max(0, Math.round(m.at - Math.max(m.dur, 1000))),
	'timeline.to': Math.round(m.at + 2 * Math.max(m.dur, 1000))
});

const RULES = {
	groups: r => group(r, r.function),
	goroutines: r => goroutine(r.goroutine, null),
	breakdown: r => [top('Where', ON[r.state] || 'block', {
		reason: r.state === 'blocked' ? r.reason : null,
		group: isNamed(r.entry) && r.goroutine === null ? r.entry : undefined,
		goroutine: r.goroutine === null ? undefined : r.goroutine
	})],
	block:
		r => [flame('Flame of waits', 'offcpu', r, {reason: r.reason}), top('Who waits', 'breakdown', {reason: r.reason})],
	locks: r => [flame('Flame of waits', 'offcpu', r, {}),
		isNamed(r.holder_entry) && top('Goroutines of the holder', 'goroutines', {group: r.holder_entry})],
	sched: r => [flame('Flame of waits for a P', 'sched', r, {})],
	syscalls: r => [flame('Flame of system calls', 'syscall', r, {})],
	cpu: r => [flame('Flame', 'cpu', r, {}), source(r)],
	top: r => [flame('Flame', undefined, r, {}), source(r), peek(r.function)],
	gc: r => [when(r, r.worst_goroutine)],
	tasks: r => [isNamed(r.name) && top('Its tasks', 'task', {task: r.name}),
		isNamed(r.name) && {text: 'Path of the slowest', view: 'path', changes: {task: r.name}},
		isNamed(r.name) && top('Why the slowest are slow', 'outliers', {task: r.name}), when(r, r.worst_goroutine)],
	tree: r => [peek(r.function), r.name !== r.function && peek(r.name), flame('Flame', undefined, r, {}), source(r)],
	task: r => task(r.id, r),
	regions: r => [isNamed(r.name) && top('Its regions', 'region', {region: r.name}),
		isNamed(r.name) && {text: 'Path of the slowest', view: 'path', changes: {region: r.name}},
		when(r, r.worst_goroutine)],
	region: r => [when(r, r.goroutine), task(r.task, {})],
	logs: r => [when(r, r.goroutine), task(r.task, {}),
		typeof r.message === 'string' && /^[\w-]+$/.test(r.message) &&
			top('All of this request', 'groups', {request: r.message, task: null})],
	story: r => [when(r, r.goroutine), task(r.task, {})],
	outliers:
		r => [r.kind === 'state' && top('Where', ON[r.state] || 'block', {reason: r.state === 'blocked' ? r.reason : null})],
	procs: () => [{text: 'Timeline of Ps', view: 'timeline', changes: {'timeline.rows': 'procs'}}],
};
const peek = name =>
	isNamed(name) && {text: 'Callers and callees of ' + name, view: 'top', changes: {report: 'peek', focus: name}};
const source = r =>
	isNamed(r.function) && {text: 'Source', view: 'flame', changes: {focus: r.function, 'flame.source': r.function}};
// Returns what --tag-focus takes for the labels of a row: a range of numbers, or a pattern in which a comma, which
// separates patterns, is escaped; null where it cannot tell them from others.
function labelled(r) {
	if (!r.key || /[=\ufffd]|^~/.test(r.key)) return null;
	if (typeof r.least !== 'number')
		return r.label.includes('\ufffd') ? null : r.key + '=' + only(r.label).replace(/,/g, '\\x2c');
	if (![r.least, r.most].every(Number.isSafeInteger) || /[μ*]/.test(r.number_unit)) return null;
	const unit = /^[a-zA-Z]{1,31}$/.test(r.number_unit) ? r.number_unit : '';
	return r.key + '=' + (r.least === r.most ? [r.least] : [r.least, r.most]).map(v => v + unit).join(':');
}
const OF_PROFILES = {
	top: RULES.top,
	tree: RULES.tree,
	labels: r => labelled(r) &&
		[
			top('Functions of samples with it', 'functions', {label: labelled(r)}),
			{text: 'Flame', view: 'flame', changes: {label: labelled(r)}}
		]
};
const plain = r => [when(r, r.goroutine), flame('Flame', undefined, r, {})];

// Returns [{text, act}] for a row of the table with this name. The last way on, where the row has a
// length, selects its time.
export function leads(app, name, row) {
	const m = moment(row), known = app.run().kind === 'trace' ? RULES[name] || plain : OF_PROFILES[name] || (() => []);
	const list = [known(row)].flat(3).filter(Boolean).map(l => ({text: l.text, act: () => app.go(l.view, l.changes)}));
	if (m && m.dur && app.run().kind === 'trace')
		list.push({text: 'Select its time', act: () => app.select({from: m.at, to: m.at + m.dur})});
	return list;
}
