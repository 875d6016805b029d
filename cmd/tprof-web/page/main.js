// Starts the page: the runs, the views and switching between them, the address, the keyboard.
import {el, button, nothing, failure, shown, setAbout} from './dom.js';
import * as ask from './ask.js';
import {read, write, change, chips} from './selection.js';

// All views, in the order of the tabs: name, title, the key after g; the kind of runs that it is for, if not for all.
const VIEWS = [
	['overview', 'Overview', 'o'],
	['timeline', 'Timeline', 'l', 'trace'],
	['flame', 'Flame', 'f'],
	['top', 'Top', 't'],
	['diff', 'Diff', 'd'],
	['path', 'Path', 'p', 'trace'],
	['leaks', 'Leaks', 'k'],
	['series', 'Series', 's'],
	['sql', 'SQL', 'q'],
].map(([name, title, key, kind]) => ({name, title, key, kind, view: null, gone: false, tab: null, loading: null}));

const $ = id => document.getElementById(id);
let open = null; // the open view: {entry, handle, root}
let abort = new AbortController();

const app = {
	selection: read(location.hash),
	runs: [],
	// The run that is picked: the one of the selection, else the latest.
	run() {
		return app.runs.find(r => r.id === app.selection.run) || app.runs[app.runs.length - 1] || null;
	},
	// A signal that fires when the view is updated again or closed.
	signal: () => abort.signal,
	// Tells the reader something, for some seconds or until the view changes: it covers what is beneath.
	say(text) {
		$('status').textContent = text;
		clearTimeout(app.saying);
		app.saying = setTimeout(() => { $('status').textContent = ''; }, 10000);
	},
	// Changes the selection; `replace` takes the place of the last address in the history.
	select(changes, {replace = false} = {}) {
		// Where a task is picked, the timeline is to show its time in place of what it showed before.
		const next = change(app.selection, changes.task ? {'timeline.from': null, 'timeline.to': null, ...changes} : changes);
		if (write(next) === write(app.selection)) return;
		history[replace ? 'replaceState' : 'pushState'](null, '', write(next));
		app.selection = next;
		return apply();
	},
	// Opens another view, with changes to the selection.
	go(view, changes = {}) {
		return app.select({...changes, view});
	},
	// Returns the address of a view with changes to the selection, for links.
	address: (view, changes = {}) => write(change(app.selection, {...changes, view})),
};

// ---- views ----

function load(entry) {
	entry.loading = entry.loading || import('./' + entry.name + '.js').then(m => { entry.view = m.default; }, e => {
		entry.gone = true;
		entry.error = e;
	}).then(drawTabs);
	return entry.loading;
}

function offered(entry) {
	const run = app.run();
	return !entry.gone && (!entry.kind || !run || entry.kind === run.kind);
}

function drawTabs() {
	$('views').hidden = !app.run(); // which of them apply is not known yet
	for (const entry of VIEWS) {
		const here = entry.name === app.selection.view;
		entry.tab.hidden = !offered(entry) && !here;
		entry.tab.href = app.address(entry.name);
		entry.tab[here ? 'setAttribute' : 'removeAttribute']('aria-current', 'page');
	}
}

// Opens a view in place of the open one.
async function show(entry) {
	await load(entry);
	if (entry.name !== app.selection.view) return; // the reader went on
	const root = el('main', {id: 'view', class: entry.name, tabindex: -1}), old = $('view'),
		focused = old.contains(document.activeElement);
	if (open) open.handle.close();
	old.replaceWith(root);
	if (focused) root.focus({preventScroll: true});
	open = {entry, root, kind: app.run().kind, handle: {update() {}, close() {}}};
	if (!entry.view)
		open.handle.update = () => {
			throw new Error('The view ' + entry.title + ' cannot be loaded (' + entry.error.message + '); reload this page.');
		};
	else if (!offered(entry))
		root.append(nothing(entry.title + ' shows nothing of a ' + app.run().kind + '; pick another run, or another view.'));
	else open.handle = null;
	await update();
}

function clearFailure(root) {
	for (const old of root.querySelectorAll(':scope > .failure')) old.remove();
}

// Has the open view show what is selected, and shows what went wrong above it.
async function update() {
	const now = open;
	abort.abort();
	abort = new AbortController();
	try {
		now.handle = now.handle || now.entry.view.open(app, now.root);
		await now.handle.update();
		if (now === open) clearFailure(now.root);
	} catch (e) {
		if (e.name === 'AbortError' || now !== open) return;
		now.handle = now.handle || {update() {}, close() {}};
		clearFailure(now.root);
		now.root.prepend(failure(e));
	}
	document.documentElement.dataset.ready = 'yes';
}

// Brings the page in line with the selection.
async function apply() {
	const entry = VIEWS.find(v => v.name === app.selection.view) || VIEWS[0], run = app.run();
	if (entry.name !== app.selection.view) {
		app.selection = change(app.selection, {view: entry.name});
		history.replaceState(null, '', write(app.selection));
	}
	if (open && open.entry !== entry) app.say('');
	if (app.selection.run !== undefined && run.id !== app.selection.run)
		app.say('There is no run ' + app.selection.run + '; this is run ' + run.id + '.');
	drawTabs();
	drawChips();
	$('run').value = run.id;
	document.title = shown(entry.title + ' · ' + run.name + ' · tprof');
	return open && open.entry === entry && open.kind === run.kind ? update() : show(entry);
}

// ---- the selection ----

function selected() {
	const run = app.run();
	return chips(app.selection, run && run.ticks);
}

const clear = chip => app.select(Object.fromEntries(chip.keys.map(k => [k, null])));

function drawChips() {
	const list = selected();
	$('chips').hidden = !list.length;
	$('chips').replaceChildren(el('span', {class: 'soft'}, 'Only'),
		...list.map(c => el('span', {class: 'chip'}, c.text,
			button('×', () => clear(c), {'aria-label': 'clear ' + c.text, title: 'clear (Esc clears the last)'}))),
		...list.length > 1 ?
			[button('clear all', () => app.select(Object.fromEntries(list.flatMap(c => c.keys).map(k => [k, null]))),
				{class: 'copy'})] :
			[]);
}

function drawRuns() {
	$('run').replaceChildren(
		...app.runs.map(r => el('option', {value: r.id}, r.id + ' ' + r.name + (r.labels ? ' (' + r.labels + ')' : ''))));
	$('run').addEventListener(
		'change', () => app.select({run: Number($('run').value), from: null, to: null, at: null, goroutine: null}));
	$('run').closest('label').hidden = app.runs.length < 2;
	$('file').textContent = app.runs.length === 1 ? app.runs[0].name : '';
}

// ---- the keyboard ----

const KEYS = [
	['g and a letter', 'open a view: ' + VIEWS.map(v => v.key + ' ' + v.title).join(', ')],
	['/', 'filter or search'],
	['↑ ↓ Home End', 'move in a table'],
	['Enter', 'open what a row leads on to'],
	['Space or →', 'unfold a row: all its columns, its stack, other ways on'],
	['Esc', 'clear the last part of the selection'],
	['Alt ←', 'go back'],
	['?', 'this help'],
];

function help() {
	const own = open && open.entry.view && open.entry.view.keys || [];
	const list = keys =>
		el('dl', {class: 'keys'}, keys.map(([k, text]) => el('div', null, el('dt', null, k), el('dd', null, text))));
	$('help').replaceChildren(el('h2', {tabindex: -1, autofocus: true}, 'Keys'), list(KEYS),
		...own.length ? [el('h3', null, open.entry.title), list(own)] : [],
		el('p', null,
			'What is selected (a time range, goroutines, a task …) holds in all views, stands in the address, ' +
				'and is cleared at the top. Each view names the command that prints the same.'),
		el('form', {method: 'dialog'}, el('button', null, 'close')));
	$('help').showModal();
}

const typing = e => e.target.closest && e.target.closest('input,textarea,select,[contenteditable]');

function afterG(e) {
	const entry = VIEWS.find(v => v.key === e.key && offered(v));
	if (!entry) return;
	e.preventDefault();
	e.stopPropagation();
	app.go(entry.name);
}

function startKeys() {
	let g = 0;
	// In front of the views' own keys, as letters mean other things there.
	document.addEventListener('keydown', e => {
		if (e.ctrlKey || e.metaKey || e.altKey || typing(e) || $('help').open) return;
		const after = performance.now() - g < 2500;
		g = 0;
		if (after) afterG(e);
		else if (e.key === 'g') g = performance.now();
	}, true);
	document.addEventListener('keydown', e => {
		if (e.defaultPrevented || e.ctrlKey || e.metaKey || e.altKey || $('help').open) return;
		const field = $('view').querySelector('input[type=search]');
		if (typing(e)) {
			if (e.key === 'Escape') e.target.blur();
		} else if (e.key === '?') {
			help();
		} else if (e.key === '/' && field) {
			field.focus();
			field.select();
			e.preventDefault();
		} else if (e.key === 'Escape' && selected().length) {
			clear(selected().pop());
		} else if ((e.key === 'ArrowDown' || e.key === 'ArrowUp') && (e.target === document.body || e.target === $('view'))) {
			const row = $('view').querySelector('table.data tbody tr[tabindex="0"]');
			if (row) { row.focus(); e.preventDefault(); }
		}
	});
}

// ---- the beginning ----

ask.setRun(() => app.run() && app.run().id);

async function start() {
	load(VIEWS.find(v => v.name === app.selection.view) || VIEWS[0]);
	const served = await ask.about();
	setAbout(served);
	app.runs = served.runs.map(r => ({
		...r,
		labels: r.labels.join(','),
		events: r.kind === 'trace' ? r.events : null,
		time: r.wall_ns ? new Date(r.wall_ns / 1e6).toISOString().slice(0, 19).replace('T', ' ') : null
	}));
	drawRuns();
	if (!app.runs.length)
		$('view').append(nothing('The store has no runs. Add some with tprof-import, then reload this page.'));
	else await apply();
	// Other views are loaded when the open one has what it needs.
	setTimeout(() => (window.requestIdleCallback || (f => f()))(() => VIEWS.forEach(load), {timeout: 1000}), 500);
}

for (const entry of VIEWS) {
	entry.tab = el('a', {href: '#' + entry.name, title: 'g ' + entry.key, click: e => {
		if (e.ctrlKey || e.metaKey || e.shiftKey) return;
		e.preventDefault();
		app.go(entry.name);
	}}, entry.title);
	$('views').append(el('li', null, entry.tab));
}
$('helpkey').addEventListener('click', help);
addEventListener('popstate', () => {
	app.selection = read(location.hash);
	if (app.runs.length) apply();
});
startKeys();
start().catch(e => $('view').append(failure(e)));
