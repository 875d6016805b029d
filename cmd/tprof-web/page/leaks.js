// Goroutines that wait and do not end: tprof-leaks of one run, or what grows over all.
import {el, command, nothing} from './dom.js';
import {run} from './ask.js';
import {table} from './table.js';

const CHOICES = [
	['leaks.over', '--run=all', 'over all runs'], ['leaks.created', '--created', 'created during the trace'],
	['leaks.all', '--all', "the runtime's and running ones as well"]
];

// Returns whether a choice is made: several dumps are compared unless the reader wants one.
function picked(app, key) {
	return (app.selection[key] || (key === 'leaks.over' && app.run().kind === 'profile' ? 'yes' : 'no')) === 'yes';
}

function box(app, [key, , text]) {
	return el('label', null,
		el('input',
			{type: 'checkbox', checked: picked(app, key), change: e => app.select({[key]: e.target.checked ? 'yes' : 'no'})}),
		' ' + text);
}

// Columns that hold something, the place first; of one run there is no growth.
function columns(sheet, several) {
	const holds = c => !c.raw && (several || !['first', 'growth', 'counts'].includes(c.name)) &&
		sheet.rows.some(r => r[c.name] !== null && r[c.name] !== false);
	return ['where', ...sheet.columns.filter(c => c.name !== 'where' && holds(c)).map(c => c.name)];
}

// The command lists the ids of a site's first goroutines.
function leads(app, row) {
	const ids = String(row.ids || '').split(' ').filter(id => /^\d+$/.test(id));
	const run = app.run();
	return run.kind !== 'trace' ?
		[] :
		ids.map(id => ({text: 'Timeline of goroutine ' + id, act: () => app.go('timeline', {goroutine: id})}));
}

function open(app, root) {
	async function update() {
		const choices = CHOICES.filter(([key]) => key !== 'leaks.over' || app.runs.length > 1);
		const chosen =
			choices.filter(([key, option]) => picked(app, key) && (option !== '--created' || app.run().kind === 'trace'))
				.map(c => c[1]);
		const list = [...chosen, '-n0', '--format=json', chosen.includes('--run=all') ? '@' : '@' + app.run().id];
		root.replaceChildren(el('div', {class: 'tools'},
			choices.filter(c => c[1] !== '--created' || app.run().kind === 'trace').map(c => box(app, c))),
			command('leaks', list));
		const head = await run('leaks', list, app.signal()).catch(e => {
			const [, name] = /^tprof-leaks: (.*): it does not contain goroutines/.exec(e.message) || [];
			if (!name) throw e;
			root.lastChild.replaceWith(nothing(
				name + ' does not contain goroutines. Leaks are found in traces, goroutine profiles and dumps of goroutines.'));
		});
		if (!head) return;
		const [sheet] = head.tables.length ? head.tables : [{name: 'leaks', columns: [], rows: []}];
		root.append(el('div', {class: 'notes'}, head.notes.map(n => el('p', {class: 'note'}, n))),
			...head.messages.map(n => el('p', {class: 'lost'}, n)), table(sheet, {
				caption: 'Goroutines that wait',
				columns: columns(sheet, chosen.includes('--run=all')),
				none: 'No goroutines of this kind are left.',
				lead: row => leads(app, row)
			}));
	}
	return {update, close() {}};
}

export default {name: 'leaks', title: 'Leaks', key: 'k', open};
