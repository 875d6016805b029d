// The selection: what all views share, what stands in the address, and what commands make of it.
// #VIEW?run=1&from=1500000&to=…: times are in ns since the run began.
import {format, ns} from './dom.js';

const NUMBERS = new Set(['run', 'from', 'to', 'at', 'task_id']);

// Returns the selection of an address's hash, frozen.
export function read(hash) {
	const [, view, rest] = /^#?([\w-]*)\??(.*)$/s.exec(hash) || [];
	const s = {view: view || ''};
	for (const [k, v] of new URLSearchParams(rest || ''))
		if (v !== '') s[k] = NUMBERS.has(k) && /^-?\d+$/.test(v) ? Number(v) : v;
	return Object.freeze(s);
}

// Returns the hash of a selection.
export function write(s) {
	const pairs = Object.entries(s).filter(([k, v]) => k !== 'view' && v !== undefined && v !== null && v !== '');
	return '#' + s.view + (pairs.length ? '?' + new URLSearchParams(pairs) : '');
}

// Returns the selection with changes; what changes to null, undefined or '' goes.
export function change(s, changes) {
	const out = {...s};
	for (const [k, v] of Object.entries(changes)) {
		if (v === null || v === undefined || v === '') delete out[k];
		else out[k] = v;
	}
	return Object.freeze(out);
}

// Returns a regular expression that matches this text alone.
export function only(text) {
	return '^' + text.replace(/[\\^$.|?*+()[\]{}]/g, '\\$&') + '$';
}

// Filters: key in the selection, the option, how it is worded on its chip, and for which commands.
// T: of traces, P: of profiles; the letters are t(op) d(iff) p(ath) f(lame).
const FILTERS = [
	['goroutine', '--goroutine', 'goroutine', {trace: 'tdpf'}],
	['group', '--goroutine', 'goroutines of', {trace: 'tdpf'}],
	['task', '--task', 'task', {trace: 'tdpf'}],
	['request', '--request', 'request', {trace: 'tdpf', profile: 'tdf'}],
	['region', '--region', 'region', {trace: 'tdpf'}],
	['state', '--state', 'state', {trace: 'tdf'}],
	['reason', '--reason', 'reason', {trace: 'tdpf'}],
	['log', '--log', 'log', {trace: 't'}],
	['focus', '--focus', 'function', {trace: 'tf', profile: 'tdf'}],
	['ignore', '--ignore', 'without', {trace: 'tf', profile: 'tdf'}],
	['label', '--tag-focus', 'label', {trace: '', profile: 'tdf'}],
	['sample', '--sample-index', 'values', {profile: 'tdf'}],
];
const LETTERS = {top: 't', diff: 'd', path: 'p', flame: 'f'};
// Function names are written as they are in the selection, and patterns for the command; ids too.
const EXACT = new Set(['group', 'focus', 'region', 'task', 'reason']);

// Returns a filter's value as its option takes it.
export function valueFor(key, value) {
	const text = String(value);
	if (text.startsWith('~')) return text.slice(1); // a pattern that the user typed
	if (key === 'task' && /^\d+$/.test(text)) return text;
	return EXACT.has(key) ? only(text) : text;
}

// Returns a time in the largest unit in which it is a whole number: 200ms, 1500001ns.
function exact(v) {
	const [size, unit] = [[1e9, 's'], [1e6, 'ms'], [1e3, 'us'], [1, 'ns']].find(([n]) => v % n === 0) || [1, 'ns'];
	return v / size + unit;
}

// Returns the options by which a command counts only what is selected: ['--from=…', …]. The run is not
// among them: it is the word '@' + app.run().id. Filters that the command ignores are left out.
export function words(app, command, except = []) {
	const s = app.selection, run = app.run(), kind = run ? run.kind : 'trace', letter = LETTERS[command], out = [];
	if (!letter) return out;
	const at = v => run && run.ticks ? String(v) : exact(v);
	if (kind === 'trace') {
		if (s.from !== undefined) out.push('--from=' + at(s.from));
		if (s.to !== undefined) out.push('--to=' + at(s.to));
	}
	for (const [key, option, , commands] of FILTERS) {
		if (s[key] === undefined || except.includes(key) || !(commands[kind] || '').includes(letter)) continue;
		if (key === 'group' && s.goroutine !== undefined) continue; // one goroutine says more
		if (key === 'request' && s.task !== undefined && kind === 'trace') continue; // so does one task
		out.push(option + '=' + valueFor(key, s[key]));
	}
	return out;
}

// Returns the names of filters that are set and that the command ignores, by the table above or as
// one of the options that it has refused, to tell the reader.
export function ignored(app, command, refused = []) {
	const s = app.selection, run = app.run(), kind = run ? run.kind : 'trace', letter = LETTERS[command] || '?';
	return FILTERS
		.filter(([key, option, , commands]) =>
			s[key] !== undefined && (refused.includes(option) || !(commands[kind] || '').includes(letter)))
		.map(f => f[2]);
}

// Returns the selection as chips: [{keys, text}], in the order of the address.
export function chips(s, ticks) {
	const out = [];
	if (s.from !== undefined || s.to !== undefined) {
		const at = v => format('ns', v, ticks), length = () => ticks ? at(s.to - s.from) : ns(s.to - s.from);
		const text = s.to === undefined ? 'from ' + at(s.from) : s.from === undefined ? 'until ' + at(s.to) :
			at(s.from) + ' to ' + at(s.to) + ' (' + length() + ')';
		out.push({keys: ['from', 'to'], text});
	}
	for (const key of Object.keys(s)) {
		const filter = FILTERS.find(f => f[0] === key);
		if (filter) out.push({keys: [key], text: filter[2] + ' ' + String(s[key]).replace(/^~/, 'matching ')});
	}
	return out;
}
