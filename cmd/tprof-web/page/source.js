// One function beside the flame graph: its callers and callees, and its source with the values of
// each line, as tprof-top --peek and --list have them.
import {el, button, command, failure, measure, percentage} from './dom.js';
import {run} from './ask.js';
import {only} from './selection.js';
import {table} from './table.js';

const SHOWN = 400; // lines of source at once

// The least indent of all lines that are not empty: it is left out.
function indent(lines) {
	const texts = lines.map(l => l.source || '').filter(t => t.trim());
	let n = 0;
	while (texts.length && texts.every(t => t[n] === texts[0][n] && /\s/.test(t[n] || ''))) n++;
	return n;
}

function lineRow(line, most, cut) {
	const value = v => el('td', {class: 'n'}, v ? measure(v, line.unit) : '.');
	const tr = el('tr', {class: line.cum ? 'cost' : null}, el('td', {class: 'n soft'}, line.line), value(line.flat),
		value(line.cum), el('td', {class: 'code'}, el('pre', null, (line.source || '').slice(cut))));
	if (line.cum) tr.style.setProperty('--heat', Math.round(60 * Math.abs(line.cum) / most) + '%');
	return tr;
}

// Returns the elements for a function in one file: `rows` of the table list, the first without a line.
function file([head, ...lines]) {
	const cut = indent(lines), most = Math.max(...lines.map(l => Math.abs(l.cum)), 1), body = el('tbody');
	const more = button('', () => fill(), {class: 'more'});
	function fill() {
		body.append(...lines.slice(body.rows.length, body.rows.length + SHOWN).map(l => lineRow(l, most, cut)));
		more.hidden = body.rows.length >= lines.length;
		more.textContent = 'show more of the ' + lines.length + ' lines';
	}
	fill();
	return [
		el('p', {class: 'note'}, head.file ? head.file + ' · ' : '',
			'flat ' + measure(head.flat, head.unit) + ', cum ' + measure(head.cum, head.unit) + ' (' +
				percentage(head.cum_share) + ')'),
		head.source &&
			el('p', {class: 'lost'},
				'No source: ' + head.source + '.' +
					(head.file ? ' Start tprof-web with --source-path=DIRS to say where it is.' : '')),
		lines.length > 0 &&
			el('div', {class: 'scroll'},
				el('table', {class: 'code'}, el('caption', null, 'source of ' + head.function),
					el('thead', null,
						el('tr', null, ['line', 'flat', 'cum'].map(t => el('th', {class: 'n', scope: 'col'}, t)),
							el('th', {scope: 'col'}, 'source'))),
					body)),
		more
	];
}

// Rows of the table list by function and file.
function files(rows) {
	const out = [];
	for (const row of rows) {
		if (row.line === null) out.push([row]);
		else out[out.length - 1].push(row);
	}
	return out;
}

function calls(app, sheet, role, title) {
	const rows = sheet.rows.filter(r => r.role === role);
	return [
		el('h3', null, title),
		rows.length ? table({...sheet, name: title, rows}, {
			plain: true,
			columns: ['name', 'cum', 'cum_share'],
			lead: r => [{text: 'look at this function', act: () => app.select({'flame.source': r.name})}]
		}) :
			el('p', {class: 'note'}, role === 'caller' ? 'Nothing calls it.' : 'It calls nothing.')
	];
}

// Returns {show(name, words)}, which fills `root` with the function of this name, or hides it, and
// close(). `words` say what is counted. Zooming goes on while an answer is awaited, so it has a signal
// of its own.
export function sourcePanel(app, root) {
	let drawn = null, abort = new AbortController();
	function facts(name, head, sheet, sources, asked) {
		root.replaceChildren(
			...[head, sources, sheet && [calls(app, sheet, 'caller', 'Callers'), calls(app, sheet, 'callee', 'Callees')],
				command('top', [asked.list, ...asked.words]), command('top', [asked.peek, ...asked.words])]
				.flat(9)
				.filter(Boolean));
	}
	function heading(name) {
		const s = app.selection;
		return el('div', {class: 'function'}, el('h2', null, name),
			button('×', () => app.select({'flame.source': null}), {'aria-label': 'close the source', title: 'close'}),
			el('p', {class: 'leads'},
				s.focus !== name && button('only stacks with it', () => app.select({focus: name, 'flame.at': null})),
				button('table of functions',
					() => app.go('top', {report: app.run().kind === 'trace' ? s['flame.view'] || 'wall' : 'functions', q: name}))));
	}
	return {
		close: () => abort.abort(),
		async show(name, words) {
			const key = name && JSON.stringify([name, words, app.selection.focus]);
			if (key === drawn) return;
			abort.abort();
			abort = new AbortController();
			root.hidden = !name;
			drawn = key;
			if (!name) return root.replaceChildren();
			const asked = {list: '--list=' + only(name), peek: '--peek=' + only(name), words}, head = heading(name),
				signal = abort.signal;
			root.setAttribute('aria-busy', 'true');
			const answers =
				await Promise.allSettled([run('top', [asked.peek, ...words], signal), run('top', [asked.list, ...words], signal)]);
			if (signal.aborted) return;
			root.removeAttribute('aria-busy');
			const [peek, list] = answers;
			const sources = list.value ? files(list.value.tables[0].rows).map(file) : [failure(list.reason)];
			facts(name, head, peek.value && peek.value.tables[0], sources, asked);
		},
	};
}
