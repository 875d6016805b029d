// A table of a command's JSON: numbers as the command prints them, sorting, a filter, rows that
// unfold and lead on.
import {el, button, format, measure, percentage, nothing} from './dom.js';

const SHOWN = 200; // rows that are put into the page at once

const isNumber = column => !!column.by || ![undefined, 'text'].includes(column.kind);
const isEmpty = value => value === null || value === undefined || value === '';

// Returns the text of a cell.
function cellText(column, row, opts) {
	const value = row[column.name];
	if (column.text) return column.text(row);
	if (opts.units && typeof value === 'number') {
		if (column.kind === 'any') return measure(value, row.unit);
		if (column.kind === 'share' && opts.percentages) return percentage(value);
	}
	if (opts.units && column.name === 'name' && typeof row.inlined === 'string') return value + ' ' + row.inlined;
	if (value === '' && opts.empty) return opts.empty[column.name] || '';
	return format(column.kind, value, opts.ticks);
}

function compare(a, b) {
	const x = typeof a, y = typeof b;
	if (x !== y) return x === 'number' ? -1 : 1;
	return a < b ? -1 : a > b ? 1 : 0;
}

// Sorts rows, keeping the command's order among equals; rows without a value come last.
function sorted(rows, name, down) {
	return rows.map((row, i) => [row, i]).sort(([a, i], [b, k]) => {
		const x = a[name], y = b[name];
		if (isEmpty(x) || isEmpty(y)) return isEmpty(x) - isEmpty(y) || i - k;
		return (down ? compare(y, x) : compare(x, y)) || i - k;
	}).map(([row]) => row);
}

// Returns the frames of a stack as a list, the innermost first.
export function stackList(stack) {
	return el('ol', {class: 'stack'}, String(stack).split(';').map(f => el('li', null, f)));
}

function details(sheet, columns, row, leads, opts) {
	const facts =
		columns.filter(c => c.kind && !isEmpty(row[c.name]))
			.map(c => el('div', null, el('dt', {title: c.name}, c.doc || c.title),
				el('dd', null,
					c.name === 'stack' || c.name.endsWith('_stack') ? stackList(row[c.name]) : cellText(c, row, opts))));
	return [
		leads.length && el('p', {class: 'leads'}, leads.map(l => button(l.text, l.act))), el('dl', {class: 'facts'}, facts)
	];
}

// Returns an element with the table of a sheet ({name, columns, rows} of a head's tables). Options:
//   ticks     times are ticks
//   columns   names of the columns to show at first, in order; otherwise those of the command's table
//   extra     more columns: [{name, title, text(row), kind}], shown where `columns` names them, else at
//             the end; one without a kind cannot be sorted
//   empty     what an empty text stands for, by name
//   titles    other headings, by name
//   caption   what a screen reader hears (default: the sheet's name)
//   lead(row) what a row leads on to: [{text, act}], the first by Enter or by its name
//   cut       {shown, of} of the head; all() shows all
//   all       a function
//   sort      {name, down}: how the rows are sorted already
//   onsort    called with a column's name; returns whether it has the command sort
//   filter    the filter's text at first, onfilter is called with changes of it
//   plain     no filter, no details: a short table among others
//   row(tr, row)  called for each row put into the page
export function table(sheet, opts = {}) {
	const all = [...sheet.columns, ...(opts.extra || [])];
	opts = {
		...opts,
		percentages: sheet.name !== 'tree',
		units: sheet.columns.some(c => c.name === 'unit') && sheet.columns.some(c => c.kind === 'any')
	};
	const titleOf = c =>
		(opts.titles || {})[c.name] || (c.title === c.name ? c.name.replace(/_/g, ' ').toUpperCase() : c.title);
	if (!sheet.rows.length) return nothing(opts.none || 'There is nothing to show here.');
	const state = {sort: opts.sort || null, filter: opts.filter || '', limit: SHOWN, shown: choose(), open: new Set()};
	const told = el('span', {role: 'status'}), body = el('tbody'), head = el('tr');
	const more = button('', () => { state.limit += 5 * SHOWN; draw(); }, {class: 'more'});
	const input = el('input', {
		type: 'search',
		placeholder: 'filter rows ( / )',
		'aria-label': 'filter the rows of ' + (opts.caption || sheet.name),
		value: state.filter,
		spellcheck: 'false',
		autocomplete: 'off',
		input: () => filter(input.value),
		keydown: e => {
			if (e.key === 'Escape' && input.value) {
				input.value = '';
				filter('');
			}
			if (['Escape', 'Enter', 'ArrowDown'].includes(e.key)) {
				focus(0);
				e.preventDefault();
				e.stopPropagation();
			}
		}
	});
	const root = el('div', {class: 'table' + (opts.plain ? ' short' : '')},
		!opts.plain &&
			el('div', {class: 'tools'}, input,
				opts.all && opts.cut && opts.cut.of > opts.cut.shown &&
					button('show all ' + format('count', opts.cut.of), opts.all),
				columnPicker(), told),
		el('div', {class: 'scroll'},
			el('table', {class: 'data'}, el('caption', null, opts.caption || sheet.name), el('thead', null, head), body)),
		more);
	let texts = null, timer = 0;

	// Which columns are shown: those named, else those of the command's table.
	function choose() {
		const extra = (opts.extra || []).filter(c => !opts.columns || !opts.columns.includes(c.name));
		if (opts.columns) return [...opts.columns.map(n => all.find(c => c.name === n)).filter(Boolean), ...extra];
		return [...sheet.columns.filter(c => !c.raw), ...extra];
	}
	function columnPicker() {
		const hidden = all.filter(c => c.kind);
		if (hidden.length <= state.shown.length) return null;
		const box = c => el('label', {title: c.doc}, el('input', {
			type: 'checkbox',
			checked: state.shown.includes(c),
			change: e => {
				state.shown =
					e.target.checked ? all.filter(x => state.shown.includes(x) || x === c) : state.shown.filter(x => x !== c);
				draw();
			}
		}),
			' ' + titleOf(c).toLowerCase());
		return el('details', {class: 'columns'}, el('summary', null, 'columns'), el('div', null, hidden.map(box)));
	}
	function filter(text) {
		state.filter = text;
		clearTimeout(timer);
		timer = setTimeout(() => { draw(); if (opts.onfilter) opts.onfilter(text); }, 80);
	}
	function matching() {
		const wanted = state.filter.toLowerCase().split(/\s+/).filter(Boolean);
		if (!wanted.length) return sheet.rows;
		texts = texts || new Map(sheet.rows.map(r => [r, all.map(c => cellText(c, r, opts)).join('\t').toLowerCase()]));
		return sheet.rows.filter(r => wanted.every(w => texts.get(r).includes(w)));
	}
	function sort(column) {
		const down = state.sort && state.sort.name === column.name ? !state.sort.down : isNumber(column);
		if (opts.cut && opts.cut.of > opts.cut.shown && opts.onsort && opts.onsort(column.name)) return;
		state.sort = {name: column.name, by: column.by, down};
		draw();
	}
	function drawHead() {
		head.replaceChildren(...state.shown.map(c => {
			const order = state.sort && state.sort.name === c.name ? (state.sort.down ? 'descending' : 'ascending') : 'none',
				name = titleOf(c);
			return el('th', {scope: 'col', class: isNumber(c) ? 'n' : null, 'aria-sort': c.kind ? order : null},
				!c.kind ? name : button(name, () => sort(c), {title: c.doc ? c.doc + '; sort by it' : 'sort by it'}));
		}));
	}
	function drawRow(row, i) {
		const leads = opts.lead ? opts.lead(row).filter(Boolean) : [],
			name = state.shown.find(c => !isNumber(c)) || state.shown[0];
		const tr = el('tr', {tabindex: i ? -1 : 0, 'aria-expanded': opts.plain ? null : 'false', click: e => {
			if (e.target.closest('button,a,input') || String(getSelection())) return;
			if (!opts.plain) toggle(tr, row, leads); else if (leads[0]) leads[0].act();
		}}, state.shown.map(c => {
			const text = cellText(c, row, opts), level = text.search(/[^ ]/), [first] = c === name ? leads : [];
			const td = el('td', {class: isNumber(c) ? 'n' : text.length > 30 ? 'long' : null},
				first ? button(text, first.act, {class: 'link', tabindex: -1, title: first.text}) : text);
			if (level > 0 && !isNumber(c)) td.style.paddingLeft = level + 'em'; // branches of a tree
			return td;
		}));
		tr.leads = leads;
		tr.addEventListener('keydown', e => key(e, tr, row, leads));
		if (state.open.has(row)) tr.setAttribute('aria-expanded', 'true');
		if (opts.row) opts.row(tr, row);
		return state.open.has(row) ? [tr, unfolded(row, leads)] : [tr];
	}
	function unfolded(row, leads) {
		return el('tr', {class: 'detail'}, el('td', {colspan: state.shown.length}, details(sheet, all, row, leads, opts)));
	}
	function toggle(tr, row, leads) {
		const open = !state.open.has(row);
		state.open[open ? 'add' : 'delete'](row);
		tr.setAttribute('aria-expanded', String(open));
		if (open) tr.after(unfolded(row, leads)); else tr.nextElementSibling.remove();
	}
	const rowsShown = () => [...body.rows].filter(r => !r.classList.contains('detail'));
	function focus(i) {
		const list = rowsShown(), to = list[Math.min(Math.max(i, 0), list.length - 1)];
		if (!to) return;
		for (const r of list) r.tabIndex = r === to ? 0 : -1;
		to.focus();
	}
	function key(e, tr, row, leads) {
		if (e.target !== tr || e.ctrlKey || e.metaKey || e.altKey) return;
		const list = rowsShown(), i = list.indexOf(tr),
			to = {ArrowDown: i + 1, ArrowUp: i - 1, Home: 0, End: list.length - 1, PageDown: i + 15, PageUp: i - 15}[e.key];
		const open = state.open.has(row);
		if (to !== undefined) focus(to);
		else if (e.key === 'Enter' && leads.length) leads[0].act();
		else if (!opts.plain && (e.key === ' ' || e.key === (open ? 'ArrowLeft' : 'ArrowRight'))) toggle(tr, row, leads);
		else return;
		e.preventDefault();
		e.stopPropagation();
	}
	function draw() {
		const match = matching(),
			rows =
				state.sort && !state.sort.theirs ? sorted(match, state.sort.by || state.sort.name, state.sort.down) : match;
		drawHead();
		body.replaceChildren(...rows.slice(0, state.limit).flatMap(drawRow));
		more.hidden = rows.length <= state.limit;
		more.textContent = 'show more of the ' + format('count', rows.length) + ' rows';
		const cut = opts.cut && opts.cut.of > opts.cut.shown;
		const part = cut ? format('count', opts.cut.shown) + ' of ' + format('count', opts.cut.of) + ' ' + opts.cut.rows : '';
		told.textContent = (state.filter ? match.length + ' of ' + sheet.rows.length + ' rows match' : part) +
			(cut && state.sort && !state.sort.theirs ? ', sorted among themselves' : '');
	}
	draw();
	return root;
}
