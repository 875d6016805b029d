// Runs beside the picked one: which are shown, and where each begins on the picked run's clock.
import {run as runCommand} from '../ask.js';
import {el, button, format} from '../dom.js';
import {heading} from './merge.js';

const MOST = 8; // shown at a time: the server opens each

// Returns the traces that can be shown on one clock with the picked run: those in its unit.
function comparable(app) {
	const now = app.run();
	return app.runs.filter(r => r.kind === 'trace' && Boolean(r.ticks) === Boolean(now.ticks));
}

// Returns the runs to show, by id, whichever of them is picked.
export function shownRuns(app) {
	const asked = new Set(String(app.selection['timeline.runs'] || '').split('.').map(Number)), now = app.run(), others = comparable(app).filter(r => r !== now && asked.has(r.id)).slice(0, MOST - 1);
	return [now, ...others].sort((a, b) => a.id - b.id);
}

// A moment such as 2026-11-21T10:00:00.123456789Z as [ms, ns] of Unix time: ns alone exceed what numbers hold.
function moment(text) {
	const [, second, fraction = ''] = /^(.{19})(?:\.(\d+))?Z$/.exec(text) || [];
	return second && [Date.parse(second + 'Z'), Number(fraction.padEnd(9, '0').slice(0, 9))];
}

const apart = (a, b) => (a[0] - b[0]) * 1e6 + a[1] - b[1];

// Divides runs into groups that overlap in wall time, directly or through others, each by begin; `all`: into a single one.
function groups(list, all) {
	const out = [];
	for (const p of [...list].sort((a, b) => a.at - b.at)) {
		let last = out[out.length - 1];
		if (!last || !(all || p.at < last.end)) out.push(last = {at: p.at, end: p.at, members: []});
		last.members.push(p);
		last.end = Math.max(last.end, p.at + p.run.duration_ns);
	}
	return out.filter(g => g.members.length > 1);
}

export const alone = run => [{run, shift: 0, wall: false, overlaps: false, how: ''}];

// Returns [{run, shift, wall, overlaps, how}] for several runs: `shift` ns after the picked run's beginning each begins. Runs that
// overlap in wall time are placed by it, all that know it if `mode` is 'wall', none if it is 'zero'; groups of them, and others,
// begin together. `overlaps` does not depend on the mode.
export async function place(app, runs, mode, signal) {
	const rows = (await runCommand('store', ['clocks', '@'], signal)).tables[0].rows, clocks = new Map(rows.map(r => [r.run, r]));
	const list = runs.map(run => ({run, clock: clocks.get(run.id) || {}})).map(p => ({...p, begin: moment(p.clock.begin || '')})), known = list.filter(p => p.begin);
	for (const p of known) p.at = apart(p.begin, known[0].begin);
	const overlapping = groups(known), used = mode === 'zero' ? [] : mode === 'wall' ? groups(known, true) : overlapping, of = (all, p) => all.find(g => g.members.includes(p));
	const now = list.find(p => p.run === app.run()), at = p => of(used, p) ? p.at - of(used, p).at : 0;
	const beside = p => of(used, p) === of(used, now) ? '' : ' beside ' + of(used, p).members.filter(o => o !== p).map(o => 'run ' + o.run.id).join(', ');
	return list.map(p => ({run: p.run, shift: at(p) - at(now), wall: Boolean(of(used, p)), overlaps: Boolean(of(overlapping, p)), how: of(used, p) ? 'by the wall clock' + beside(p) + ', within ' + format('ns', p.clock.error_ns) :
		'drawn from 0: ' + (!p.begin ? 'its wall clock is not known' : mode === 'zero' ? 'the wall clock is not used' : 'no other run was recorded at its time')}));
}

// Divides the rows of timeline `t` into parts: those of each run follow its heading, which a run that is alone has not. Adds
// to each of `places` whether it is folded, and what to ask the server for.
export function divide(t, places) {
	const own = t.params(), at = (v, shift) => v === undefined ? undefined : v - shift, folded = new Set(String(t.app.selection['timeline.shut'] || '').split('.'));
	return places.map(p => {
		const {id} = p.run, shut = places.length > 1 && folded.has(String(id));
		return {...p, shut, heading: places.length > 1 ? heading({...p, shut}) : null, params: {...own, run: id, unfold: t.open(id), lo: at(own.lo, p.shift), hi: at(own.hi, p.shift)}};
	});
}

// Sets `first` of each part, its first row, and how many it has.
export function number(parts, totals) {
	let first = 0;
	parts.forEach((p, i) => {
		first += p.heading ? 1 : 0;
		Object.assign(p, {first, total: p.shut ? 0 : totals[i]});
		first += p.total;
	});
}

// Returns what shows more runs and hides them.
export function pickers(app, parts) {
	const all = comparable(app), ids = parts.map(p => p.run.id), show = list => app.select({'timeline.runs': list.length > 1 ? list.join('.') : null}), rest = all.filter(r => !ids.includes(r.id)), byWall = parts.some(p => p.wall), out = [];
	if (all.length < 2 || app.selection['timeline.only']) return [];
	if (rest.length && ids.length < MOST) {
		const select = el('select', {'aria-label': 'Show another run on the same clock', change: () => select.value && show(select.value === 'all' ? all.map(r => r.id) : [...ids, Number(select.value)])},
			el('option', {value: ''}, 'Another run…'), rest.length > 1 && all.length <= MOST && el('option', {value: 'all'}, 'all ' + all.length + ' runs'), rest.map(r => el('option', {value: r.id}, r.id + ' ' + r.name)));
		out.push(select);
	}
	for (const p of parts) if (p.run !== app.run()) out.push(button('hide run ' + p.run.id, () => show(ids.filter(id => id !== p.run.id)), {title: 'hide ' + p.run.name}));
	if (parts.length > 1) out.push(button('Wall clock', () => app.select({'timeline.clock': byWall ? 'zero' : parts.some(p => p.overlaps) ? null : 'wall'}), {'aria-pressed': String(byWall), title: 'place the runs by the time of day; else all begin at 0'}));
	return out;
}
