// Elements, texts and values. Whatever comes from a dump reaches the page as a text node or an
// attribute made here, with control and invisible characters escaped as the commands escape them.

const SVG = 'http://www.w3.org/2000/svg';
// Controls, and characters that hide or turn text around: libreport/output/text.c has the same list.
const DECEPTIVE =
	/[\x00-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ufffe\uffff\u{e0000}-\u{e007f}]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/gu;
const NAMED = {'\n': '\\n', '\t': '\\t', '\r': '\\r'};

function escapeOne(c) {
	const code = c.codePointAt(0), hex = code.toString(16);
	if (NAMED[c]) return NAMED[c];
	if (code < 0x80) return '\\x' + hex.padStart(2, '0');
	return code < 0x10000 ? '\\u' + hex.padStart(4, '0') : '\\U' + hex.padStart(8, '0');
}

// Returns the text as the commands show it.
export function shown(text) {
	return String(text).replace(DECEPTIVE, escapeOne);
}

// Returns a text of several lines, such as a command's output, with each line escaped.
function lines(text) {
	return String(text).split('\n').map(l => l.split('\t').map(shown).join('\t')).join('\n');
}

const RAW = new Set(['value', 'href', 'src', 'd']);

function fill(e, attrs, kids) {
	for (const [k, v] of Object.entries(attrs || {})) {
		if (v === null || v === undefined || v === false) continue;
		if (typeof v === 'function') e.addEventListener(k, v);
		else if (v === true) e.setAttribute(k, '');
		else e.setAttribute(k, RAW.has(k) ? v : shown(v));
	}
	for (const kid of kids.flat(9)) {
		if (kid === null || kid === undefined || kid === false) continue;
		e.append(kid instanceof Node ? kid : ['pre', 'code'].includes(e.localName) ? lines(kid) : shown(kid));
	}
	return e;
}

// Returns an element. Attributes that are functions are listeners: {class: 'x', click: () => …};
// null, undefined and false are left out. Children are nodes, texts, or arrays of them.
export function el(tag, attrs, ...kids) {
	return fill(document.createElement(tag), attrs, kids);
}

// The same for SVG.
export function svg(tag, attrs, ...kids) {
	return fill(document.createElementNS(SVG, tag), attrs, kids);
}

export function button(text, act, attrs) {
	return el('button', {type: 'button', ...attrs, click: act}, text);
}

// Returns a labelled choice among texts or [value, text] pairs.
export function picker(label, options, now, act) {
	const pairs = options.map(o => Array.isArray(o) ? o : [o, o]);
	const select =
		el('select', {change: () => act(select.value)}, pairs.map(([value, text]) => el('option', {value}, text)));
	select.value = now;
	return el('label', null, label + ' ', select);
}

// A sentence where there is nothing to show, and one for an error.
export function nothing(text) {
	return el('p', {class: 'nothing'}, text);
}
export function failure(error) {
	return el('p', {class: 'failure', role: 'alert'}, error.message || String(error));
}

// ---- values ----

// Rounds to `digits` decimals as C's printf does: a tie goes to the even digit.
function fixed(x, digits) {
	const tie = Math.abs(x) * 2 ** (digits + 1);
	if (tie % 2 !== 1) return x.toFixed(digits);
	const scaled = Math.abs(x) * 10 ** digits, low = Math.floor(scaled);
	return (Math.sign(x) * (low % 2 ? low + 1 : low) / 10 ** digits).toFixed(digits);
}

// C's %.3g.
function general(x, digits) {
	if (x === 0) return '0';
	const [mantissa, exponent] = x.toExponential(digits - 1).split('e'), e = Number(exponent);
	const trim = t => t.includes('.') ? t.replace(/\.?0+$/, '') : t;
	if (e < -4 || e >= digits) return trim(mantissa) + 'e' + (e < 0 ? '-' : '+') + String(Math.abs(e)).padStart(2, '0');
	return trim(x.toFixed(digits - 1 - e));
}

function divide(a, scale, unit) {
	if (unit < 2 ** 40) return Math.floor((a * scale + Math.floor(unit / 2)) / unit);
	return Number((BigInt(a) * BigInt(scale) + BigInt(unit) / 2n) / BigInt(unit));
}

// Three significant digits of value/unit; null if that rounds to `limit`. See libparse/base/units.c.
function scaled(value, unit, limit) {
	const whole = Math.floor(value / unit), rest = value - whole * unit;
	if (whole >= limit) return null;
	for (let scale = 100; scale >= 1; scale /= 10) {
		const n = whole * scale + divide(rest, scale, unit);
		if (scale > 1 && n >= 1000) continue;
		return n >= limit * scale ? null : String(n / scale);
	}
}

function clock(v) {
	const s = Math.floor((v + 5e8) / 1e9), m = Math.floor((v + 3e10) / 6e10), h = Math.floor((v + 1.8e12) / 3.6e12);
	const two = n => String(n).padStart(2, '0');
	if (s < 3600) return Math.floor(s / 60) + 'm' + two(s % 60) + 's';
	if (m < 1440) return Math.floor(m / 60) + 'h' + two(m % 60) + 'm';
	return h < 24000 ? Math.floor(h / 24) + 'd' + two(h % 24) + 'h' : Math.floor((h + 12) / 24) + 'd';
}

function inUnits(v, units, step, limits) {
	for (let i = 0, unit = 1; i < units.length; i++, unit *= step) {
		const text = scaled(v, unit, limits[i] || step);
		if (text !== null) return text + units[i];
	}
	return null;
}

export function ns(value) {
	const v = Math.abs(Math.round(value));
	if (v === 0) return '0s';
	return (value < 0 ? '-' : '') + (inUnits(v, ['ns', 'us', 'ms', 's'], 1000, [0, 0, 0, 60]) || clock(v));
}

export function bytes(value) {
	return (value < 0 ? '-' : '') +
		inUnits(Math.abs(Math.round(value)), ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'], 1024, []);
}

export function count(value) {
	return String(value).replace(/\B(?=(\d{3})+$)/g, ',');
}

export function share(value) {
	return value > 0 && value < 0.0005 ? '<0.1%' : fixed(value * 100, 1) + '%';
}

// Returns a value as the commands' tables print it. `kind` is that of the column: ns, bytes, count,
// share, float, bool, id, text or any. In a run whose times are ticks, give `ticks`.
export function format(kind, value, ticks) {
	if (value === null || value === undefined || Number.isNaN(value)) return '-';
	if (typeof value === 'boolean') return value ? 'yes' : 'no';
	if (typeof value !== 'number') return shown(value);
	switch (ticks && kind === 'ns' ? 'count' : kind) {
	case 'ns': return ns(value);
	case 'bytes': return bytes(value);
	case 'count': return Number.isInteger(value) ? count(value) : String(value);
	case 'share': return share(value);
	case 'bool': return value ? 'yes' : 'no';
	case 'float': return Number.isInteger(value) ? String(value) : general(value, 3);
	default: return String(value);
	}
}

// ---- values of profiles, as pprof shows them (libreport/profile/measure.c) ----

const FAMILIES = [
	[
		['B', 1, /^(b|bytes?)$/], ['kB', 1024, /^(kb|kbytes?|kilobytes?)$/], ['MB', 2 ** 20, /^(mb|mbytes?|megabytes?)$/],
		['GB', 2 ** 30, /^(gb|gbytes?|gigabytes?)$/], ['TB', 2 ** 40, /^(tb|tbytes?|terabytes?)$/],
		['PB', 2 ** 50, /^(pb|pbytes?|petabytes?)$/]
	],
	[
		['ns', 1, /^(ns|nanoseconds?)$/], ['us', 1e3, /^(us|μs|microseconds?)$/], ['ms', 1e6, /^(ms|milliseconds?)$/],
		['s', 1e9, /^(s|secs?|seconds?)$/], ['hrs', 3600e9, /^(hrs?|hours?)$/]
	],
];

// Returns a value in the unit that suits it, as with --unit=auto.
export function measure(value, unit) {
	for (const family of FAMILIES) {
		const from = family.find(u => u[2].test(String(unit).toLowerCase()));
		if (!from) continue;
		const v = Math.abs(value) * from[1],
			to = family.filter(u => v >= u[1]).pop() || (family[0][0] === 'B' ? family[0] : family[3]);
		const text = fixed(v / to[1], 2).replace(/\.00$/, '');
		return text === '0' ? '0' : (value < 0 ? '-' : '') + text + to[0];
	}
	return fixed(value, 2).replace(/\.00$/, '');
}

export function percentage(value) {
	const v = Math.abs(value) * 100;
	return v >= 99.95 && v <= 100.05 ? '100%' : v >= 1 ? fixed(v, 2) + '%' : general(v, 2) + '%';
}

// ---- commands ----

const about = {file: 'STORE', dump: false, dumps: [], one_each: false};

// Sets what stands for the store in commands (main.js).
export function setAbout(answer) {
	Object.assign(about, answer);
}

function quote(word) {
	return /^[\w@%+=:,./-]+$/.test(word) ? word : "'" + word.replace(/'/g, "'\\''") + "'";
}

const line = words => words.map(w => quote(lines(w))).join(' ');

// Returns how one more dump comes to the runs: {how, line}, a sentence and the command.
export function opening() {
	const files = about.dumps.length ? about.dumps : about.dump ? [about.file] : null;
	return files ?
		{how: 'Start tprof-web again, with another dump beside this', line: line(['tprof-web', ...files, 'DUMP'])} :
		{how: 'Import a dump into the store, then reload this page', line: line(['tprof-import', '-o', about.file, 'DUMP'])};
}

// The same for what tells these runs from the others.
export function serving(runs) {
	const dumps = about.one_each && runs.map(r => about.dumps[r.id - 1]);
	return dumps ? {how: 'Start tprof-web with one kind', line: line(['tprof-web', ...dumps])} : {
		how: 'Give those of one kind a label, then reload this page',
		line: runs.map(r => line(['tprof-store', 'label', about.file, String(r.id), 'series=1'])).join(' && ')
	};
}

// Returns the line that runs the command by hand, from the same arguments that run() of ask.js takes.
export function commandLine(name, words) {
	const out = ['tprof-' + name];
	let makes = '';
	for (const word of words) {
		if (word === '--json-head' || word === '--format=json') continue;
		const run = /^@(\d*)$/.exec(word);
		if (!run) {
			out.push(word);
			continue;
		}
		const dump = about.one_each && about.dumps[run[1] - 1];
		if (dump) {
			out.push(dump);
			continue;
		}
		if (about.dumps.length) makes = line(['tprof-import', '-o', about.file, ...about.dumps]) + ' && ';
		if (run[1] && !about.dump) out.push('--run=' + run[1]);
		out.push(about.file);
	}
	return makes + line(out);
}

// Returns a button that copies text.
export function copyButton(text, title = 'copy the command') {
	const b = button('copy', async () => {
		try {
			await navigator.clipboard.writeText(text);
			b.textContent = 'copied';
		} catch {
			b.textContent = 'not allowed here';
		}
		setTimeout(() => { b.textContent = 'copy'; }, 1500);
	}, {class: 'copy', 'aria-label': title});
	return b;
}

// Returns a line of the shell, to copy.
export function shell(text) {
	return el('p', {class: 'command'}, el('code', null, text), copyButton(text));
}

// The same for a command. A view shows the one that prints what it shows.
export function command(name, words) {
	return shell(commandLine(name, words));
}
