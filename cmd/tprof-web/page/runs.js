// Several runs: which belong together, and ways on where there is one only.
import {el, button, format, nothing, opening, serving, shell} from './dom.js';

// Returns the labels and names that several runs have, with how many: [[text, n], …].
export function sets(runs) {
	const many = new Map();
	for (const r of runs)
		for (const text of [...(r.labels || '').split(',').filter(Boolean), r.name])
			many.set(text, (many.get(text) || 0) + 1);
	return [...many].filter(([, n]) => n > 1);
}

// Returns the runs of the picked run's kind, which is among them.
export function alike(app) {
	return app.runs.filter(r => r.kind === app.run().kind);
}

// Returns what can be followed from run to run: all, or those of a label or name if none of them is of another kind.
export function followed(app) {
	const mine = alike(app), all = new Map(sets(app.runs));
	return [
		...mine.length === app.runs.length ? ['all'] : [],
		...sets(mine).filter(([text, n]) => all.get(text) === n).map(([text]) => text)
	];
}

// No times to compare.
const WHOLE = {'flame.from': null, 'flame.to': null, from: null, to: null, base: null, 'flame.at': null};

// Makes the selected time the old side of a flame graph; the new one is then selected anywhere.
export function keepTime(app) {
	const {from, to} = app.selection;
	app.go('flame', {...WHOLE, 'flame.from': from, 'flame.to': to});
	app.say('Select the other time, in the timeline for example; the graph shows what changed from the first to it.');
}

function halves(app) {
	const half = Math.round(app.run().duration_ns / 2), {from, to} = app.selection;
	return [
		el('h2', null, 'Two times of this run'), el('p', null, 'A flame graph shows what changed from one to the other.'),
		el('p', {class: 'leads'},
			from === undefined && to === undefined ? button('select a time in the timeline', () => app.go('timeline')) :
				button('compare the selected time with another', () => keepTime(app)),
			button('compare the first half with the second', () => app.go('flame', {...WHOLE, 'flame.to': half, from: half})))
	];
}

// Other runs that are listed.
const MOST = 20;

// Returns what a view of several runs shows where the picked one is the only one of its kind: `needs`, a sentence,
// and ways on.
export function alone(app, needs, times) {
	const run = app.run(), rest = app.runs.filter(r => r !== run), {how, line} = opening();
	return [
		nothing(needs + ' ' + run.name + ' is the only ' + run.kind + ' here.'),
		el('h2', null, 'Another ' + run.kind),
		el('p', null, how + ':'),
		shell(line),
		times && run.kind === 'trace' && halves(app),
		rest.length > 0 &&
			[
				el('h2', null, 'The other runs'),
				el('p', {class: 'leads'},
					rest.slice(0, MOST).map(r => button(r.id + ' ' + r.name, () => app.select({run: r.id}))),
					rest.length > MOST && 'and ' + format('count', rest.length - MOST) + ' more')
			],
	].flat(2)
		.filter(Boolean);
}

// Returns the same where nothing tells the runs of the picked kind from the others.
export function mixed(app) {
	const {how, line} = serving(alike(app));
	return [
		nothing('A series follows runs of one kind, and these are traces and profiles.'), el('p', null, how + ':'),
		shell(line)
	];
}
