// The place under the cursor in words, beside the picture: what the goroutine does there, its stack, who woke
// it and whom it woke, as a list that keyboards and screen readers reach.
import {el, button, command, format, shown} from '../dom.js';
import {words} from '../selection.js';
import {exactTime} from './window.js';

const SHAPES = {running: 's0', runnable: 's1', syscall: 's2', blocked: 's3', lost: 's4'};

export function goroutineName(g) {
	return 'g' + g.id + (g.name ? ' ' + g.name : '');
}

function place(frame) {
	const [, file, line] = frame;
	return file ? ' ' + file.split('/').slice(-2).join('/') + (line ? ':' + line : '') : '';
}

function stack(frames, title) {
	if (!frames.length) return [];
	return [el('h3', null, title), el('ol', {class: 'stack frames', 'aria-label': title}, frames.map(f =>
		el('li', null, f[3] ? el('b', null, f[0] || '?') : f[0] || '?', el('span', {class: 'soft'}, place(f)))))];
}

export class Panel {
	// `go(goroutine, ns)` moves the cursor to another goroutine.
	constructor(app, root, go) {
		Object.assign(this, {app, root, go});
		this.empty();
	}

	time(ns) {
		const run = this.app.run();
		return format('ns', ns, run && run.ticks);
	}

	// A moment, with digits that tell the ends of something apart that lasts `long` ns.
	when(ns, long) {
		const run = this.app.run();
		return run && run.ticks ? format('ns', ns, true) : exactTime(ns, Math.max(1, long / 100));
	}

	empty(text = 'Click a row, or move with the arrow keys, to see what happens there. The wheel zooms, dragging pans, Shift and dragging selects a time; ? lists all keys.') {
		this.root.replaceChildren(el('p', {class: 'soft'}, text), this.says());
	}

	// The command that prints the sums of the rows.
	says() {
		const run = this.app.run();
		return run ? command('top', [...words(this.app, 'top'), '@' + run.id, 'goroutines']) : [];
	}

	link(g, ns, text) {
		return button(text || goroutineName(g), () => this.go(g, ns), {class: 'link', title: 'go there'});
	}

	// A run among others.
	run({run, wall, how}) {
		this.root.replaceChildren(el('h2', null, 'run ' + run.id + ' ' + run.name), this.facts([['lasts', this.time(run.duration_ns)], ['events', format('count', run.events)], ...run.labels ? [['labels', run.labels]] : []]),
			el('p', null, 'Its rows are ' + (wall ? 'placed ' : '') + how + '.'), el('p', {class: 'leads'}, button('Overview', () => this.app.go('overview')), button('Compare with another run', () => this.app.go('diff'))), el('p', {class: 'soft'}, 'Enter folds its rows. Times are those of the picked run.'), this.says());
	}

	// A group or a task, of which there is no single moment.
	row(row, cell) { // `cell`: time by state in the column under the cursor
		const [kind, , , , from, to, busy, n, name] = row, lines = [[kind === 0 ? 'goroutines' : 'id', kind === 0 ? n : row[2]], ['exists', this.time(from) + ' to ' + this.time(to)], ['not blocked', this.time(busy)]];
		for (const [state, ns] of Object.entries(cell)) if (ns) lines.push([state + ' here', this.time(ns)]);
		this.root.replaceChildren(el('h2', null, name || 'unnamed'), this.facts(lines), kind === 0 ? el('p', {class: 'leads'}, button('Top of the group', () => this.app.go('top', {group: name, report: 'breakdown'})),
			button('Flame of waits', () => this.app.go('flame', {group: name, 'flame.view': 'offcpu'})), button('Select', () => this.app.select({group: name}))) :
			el('p', {class: 'leads'}, button('Path of the task', () => this.app.go('path', {task: row[2]})), button('Select', () => this.app.select({task: row[2]}))),
		kind === 0 ? el('p', {class: 'soft'}, 'Enter unfolds the group into its goroutines.') : [], this.says());
	}

	facts(lines) {
		return el('dl', {class: 'facts'}, lines.map(([k, v]) => el('div', null, el('dt', null, k), el('dd', null, v))));
	}

	moment(m, chain, marks) {
		const g = m.g, id = /^\d+$/.test(g.id) ? Number(g.id) : g.id, open = m.open ? ' (not ended)' : '';
		this.root.replaceChildren(
			el('h2', null, goroutineName(g)),
			el('p', {class: 'state'}, el('i', {class: 'swatch ' + (SHAPES[m.state] || '')}), el('b', null, m.state || 'unknown'), m.reason ? ': ' + shown(m.reason) : '', ' for ', el('b', null, this.time(m.end - m.start) + open)),
			this.facts([['from', this.when(m.start, m.end - m.start)], ['to', this.when(m.end, m.end - m.start)]]),
			...this.why(m),
			el('p', {class: 'leads'}, button('Select', () => this.app.select({goroutine: id})), button('Top', () => this.app.go('top', {goroutine: id, report: 'breakdown'})),
				button('Path', () => this.app.go('path', {goroutine: id})), button('Flame', () => this.app.go('flame', {goroutine: id, 'flame.view': 'wall'})), button('Select this time', () => this.app.select({from: m.start, to: m.end}))),
			...stack(m.stack, m.state === 'runnable' ? 'Where it was made runnable' : 'Stack'),
			...stack(m.waker_stack, 'Stack of the waker'),
			...this.woke(m), ...this.chain(chain), ...this.marks(marks),
			this.says());
	}

	why(m) {
		if (m.cause) return [el('p', null, m.state === 'blocked' ? 'Its wait is ended at ' : 'Last woken or created at ', this.time(m.cause.ns), ' by ', this.link(m.cause.g, m.cause.ns))];
		return m.outside ? [el('p', null, 'Its wait is ended by ' + m.outside + '.')] : [];
	}

	woke(m) {
		if (!m.wakeups.length) return [];
		return [el('h3', null, 'It wakes'), el('ul', {class: 'stack'}, m.wakeups.slice(0, 20).map(w => el('li', null, this.link(w.g, w.ns), ' ', el('span', {class: 'soft'}, this.time(w.ns))))),
			m.more || m.wakeups.length > 20 ? el('p', {class: 'soft'}, m.more ? 'and more than ' + (m.wakeups.length - 20) + ' others' : 'and ' + (m.wakeups.length - 20) + ' others') : []];
	}

	// The chain of wake-ups, from this place back to its cause.
	chain(chain) {
		if (!chain || chain.links.length < 2) return [];
		const last = chain.links[chain.links.length - 1];
		return [el('h3', null, 'Why it came to this'), el('ol', {class: 'stack'}, chain.links.map((l, i) => el('li', null, this.link(l.g, i ? chain.links[i - 1].at : l.start), ' ', el('span', {class: 'soft'}, l.state + (l.reason ? ' (' + l.reason + ')' : '') + (l.at === undefined ? '' : ', woken ' + this.time(l.at) + ' by'))))),
			chain.outside && last.at === undefined ? el('p', null, 'The first was woken by ' + chain.outside + '.') : []];
	}

	marks(marks) {
		const own = marks ? marks.marks.filter(m => m[3] >= 0).slice(0, 20) : [];
		if (!own.length) return [];
		return [el('h3', null, 'Regions, logs and tasks here'), el('ul', {class: 'stack'}, own.map(([kind, from, to, , text]) => el('li', null, kind + ' ', el('b', null, text), el('span', {class: 'soft'}, ' ' + this.time(from) + (to > from ? ', ' + this.time(to - from) : '')))))];
	}
}
