// The timeline: rows of goroutines, Ps, Ms or tasks over time, and what happens at the cursor.
import {el, button} from './dom.js';
import {lanes, run as runCommand} from './ask.js';
import {words} from './selection.js';
import {Window} from './timeline/window.js';
import {shownRuns, alone, place, divide, number, pickers} from './timeline/runs.js';
import {isHeading} from './timeline/merge.js';
import {ROW, STATES, colours} from './timeline/picture.js';
import {repaint} from './timeline/painter.js';
import {Data} from './timeline/data.js';
import {Frame, GUTTER, rowName} from './timeline/draw.js';
import {Panel, goroutineName} from './timeline/panel.js';
import {Stacks} from './timeline/stacks.js';
import {listen} from './timeline/input.js';

const KINDS = [['groups', 'Goroutines by function'], ['goroutines', 'Goroutines'], ['procs', 'Ps'], ['threads', 'Ms'], ['tasks', 'Tasks']];
// Counters, and those drawn in one frame with them.
const TRACKS = [['heap', 'Heap, goal'], ['goroutines', 'Goroutines'], ['busy Ps', 'Busy Ps']];
const FILTERS = ['goroutine', 'task', 'region'];

// Returns, as a key, what of a selection places the window and the cursor.
const placed = s => JSON.stringify(['run', 'goroutine', 'group', 'task', 'at', 'timeline.from', 'timeline.to'].map(k => s[k]));

class Timeline {
	constructor(app, root) {
		Object.assign(this, {app, root, window: null, width: 1, canvasWidth: 1, canvasHeight: 1, dpr: 1, top: 0, rows: 1, row: -1, at: undefined, parts: [], kind: 'groups', unfolded: new Set(),
			tracks: TRACKS.map(([, title]) => ({title, unit: 'count', lines: [], high: 0})), counters: true, search: '', places: new Map(), chain: null, moment: null, path: null, from: undefined, to: undefined, dragged: null, hover: null, loaded: '', told: '', closed: false});
		this.colour = colours();
		this.build();
		this.data = new Data(() => this.shown(), what => this.took(what), e => this.say(e.message));
		this.frame = new Frame(this.canvas, this);
		this.stacks = new Stacks(this.below, this);
		this.panel = new Panel(app, this.side, (g, ns) => this.goTo(g, ns));
		this.place = new AbortController();
		this.ends = listen(this);
		const dark = matchMedia('(prefers-color-scheme:dark)'), recolour = () => { this.colour = colours(); this.repaint(); };
		dark.addEventListener('change', recolour);
		this.ends.push(() => dark.removeEventListener('change', recolour));
		const sizes = new ResizeObserver(() => this.resize());
		sizes.observe(this.box);
		this.ends.push(() => sizes.disconnect());
	}

	// ---- the page ----

	build() {
		this.canvas = el('canvas', {class: 'lanes', tabindex: 0, role: 'application', 'aria-label': 'Timeline: arrows move, w and s zoom, a and d pan; the panel beside it describes the place under the cursor', 'aria-describedby': 'place'});
		this.below = el('canvas', {class: 'below', role: 'img', 'aria-label': 'Stacks of the goroutine over time; the panel has them as lists'});
		this.belowBox = el('div', {class: 'belowbox', hidden: true, tabindex: 0, role: 'region', 'aria-label': 'Stacks over time'}, this.below);
		this.side = el('aside', {id: 'place', 'aria-label': 'Place under the cursor', tabindex: 0});
		this.box = el('div', {class: 'box'}, this.canvas);
		this.kinds = KINDS.map(([kind, title]) => button(title, () => this.app.select({'timeline.rows': kind === 'groups' ? null : kind, 'timeline.open': null}), {'data-kind': kind}));
		this.field = el('input', {type: 'search', placeholder: 'function, state, reason, label, stack (/)', 'aria-label': 'Find by function, state, reason, label of a task, region or log, or function in a stack; n and N find the next and the previous match', input: () => this.highlight(), keydown: e => {
			if (e.key === 'Enter') this.find(e.shiftKey);
		}});
		this.pathButton = button('Critical path', () => this.togglePath(), {'aria-pressed': 'false', title: 'of the task, goroutine or time that is selected'});
		this.onlyButton = button('Only the selected', () => this.app.select({'timeline.only': this.app.selection['timeline.only'] ? null : '1'}), {'aria-pressed': 'false', title: 'rows of selected goroutines, tasks or regions only'});
		this.besides = el('span', {class: 'picks', role: 'group', 'aria-label': 'Runs beside this one'});
		const legend = el('div', {class: 'legend'}, ['s0', 's1', 's2', 's3', 's4'].map((c, i) => el('span', null, el('i', {class: 'swatch ' + c}), STATES[i])), [['gc', 'GC'], ['stw', 'world stopped'], ['mark region', 'region'], ['mark task', 'task begins'], ['mark stw', 'log'], ['mark s4', 'CPU sample'], ['mark gc', 'mark assist']].map(([c, text]) => el('span', null, el('i', {class: 'swatch ' + c}), text)));
		this.root.append(el('div', {class: 'tools'}, el('span', {class: 'picks', role: 'group', 'aria-label': 'Rows'}, this.kinds), button('−', () => this.zoom(2), {'aria-label': 'zoom out'}), button('+', () => this.zoom(0.5), {'aria-label': 'zoom in'}), button('Whole run', () => this.whole()),
			this.field, button('‹', () => this.find(true), {'aria-label': 'previous match', title: 'N'}), button('›', () => this.find(false), {'aria-label': 'next match', title: 'n'}), this.pathButton, this.onlyButton, this.besides), legend,
		el('div', {class: 'stage'}, el('div', {class: 'pictures'}, this.box, this.belowBox), this.side));
	}

	say(text) {
		if (!this.closed) this.app.say(text);
	}

	close() {
		this.closed = true;
		clearTimeout(this.writing);
		this.place.abort();
		this.finding?.abort();
		this.data.close();
		for (const end of this.ends) end();
	}

	resize() {
		const {width, height} = this.box.getBoundingClientRect(), size = [width, height, devicePixelRatio].join();
		if (size === this.size) return;
		this.size = size;
		this.dpr = Math.min(3, devicePixelRatio || 1);
		this.canvasWidth = Math.max(GUTTER + 50, Math.floor(width));
		this.canvasHeight = Math.max(100, Math.floor(height));
		this.width = this.canvasWidth - GUTTER;
		this.canvas.width = Math.round(this.canvasWidth * this.dpr);
		this.canvas.height = Math.round(this.canvasHeight * this.dpr);
		this.frame.ctx.fillStyle = this.colour.text.bg; // it is black otherwise until there is a picture
		this.frame.ctx.fillRect(0, 0, this.canvas.width, this.canvas.height);
		this.sizeBelow();
		this.fit();
		this.moved();
	}

	fit() {
		this.rows = Math.max(1, Math.floor((this.canvasHeight - this.frame.head) / ROW));
	}

	// ---- what is shown ----

	params() {
		const s = this.app.selection, p = {run: this.app.run().id, kind: this.kind, unfold: this.open(this.app.run().id), lo: s.from, hi: s.to};
		if (s['timeline.only']) for (const key of FILTERS) if (s[key] !== undefined) p[key] = this.filter(key);
		if (s['timeline.only'] && s.request !== undefined && s.task === undefined) p.task = '?=' + s.request; // as libreport/task/request.h writes it
		if (s['timeline.only'] && s.group !== undefined && s.goroutine === undefined) p.goroutine = this.filter('group');
		return p;
	}

	get total() {
		const last = this.parts[this.parts.length - 1];
		return last ? last.first + last.total : 0;
	}

	// The part of the picked run, and the one that has a row, its heading included.
	get part() {
		return this.parts.find(p => p.run.id === this.run) || this.parts[0];
	}

	partAt(row) {
		return this.parts.findLast(p => row >= p.first - (p.heading ? 1 : 0)) || this.parts[0];
	}

	// The unfolded groups of a run, as its strings; by run, as each has its own.
	open(id) {
		return [...this.unfolded].filter(k => k.startsWith(id + '-')).map(k => k.slice(k.indexOf('-') + 1)).join() || undefined;
	}

	folds(row) {
		return (row[9] || this.run) + '-' + row[1];
	}

	// The selection's value as the option of a command has it, by selection.js.
	filter(key) {
		const option = '--' + (key === 'group' ? 'goroutine' : key) + '=', word = words(this.app, 'top').find(w => w.startsWith(option));
		return word && word.slice(option.length);
	}

	shown() {
		return {window: this.window, width: this.width, top: this.top, rows: this.rows + 1, params: this.params(), parts: this.parts, look: this.look()};
	}

	// The window or the rows have moved: draws with what is there, and asks.
	moved() {
		if (!this.window) return;
		this.top = Math.max(0, Math.min(this.top, this.total - this.rows));
		this.data.want();
		this.redraw();
		clearTimeout(this.writing);
		this.writing = setTimeout(() => this.remember(), 600);
	}

	redraw() {
		if (this.drawing || this.closed) return;
		this.drawing = requestAnimationFrame(() => {
			this.drawing = 0;
			if (this.closed || !this.window) return;
			const begin = performance.now();
			this.frame.draw();
			if (!this.belowBox.hidden) this.stacks.draw(GUTTER, this.width);
			this.frameTimes = [...(this.frameTimes || []).slice(-999), performance.now() - begin];
		});
	}

	// What the images of pictures depend on, beside the pictures.
	look() {
		return {colour: this.colour, dpr: this.dpr, nsPerPixel: this.window.span / this.width, search: this.search};
	}

	async repaint() {
		if (this.window) await Promise.all([...new Set([this.data.picture, this.data.whole])].filter(Boolean).map(p => repaint(p, this.look())));
		this.redraw();
	}

	took(what) {
		const p = this.data.picture;
		if (what === 'picture') {
			if (p.total !== undefined) this.part.total = p.total; // of a single run
			p.rows.forEach((row, i) => this.places.set(this.keyOf(row), p.first + i));
			if (this.row < 0 && this.places.has(this.kept)) this.row = this.places.get(this.kept);
			if (p.total === 0) this.say('No goroutine of this run matches the selection; clear it at the top.');
		} else if (what === 'tracks') {
			this.tracks = this.tracksOf(this.data.tracks);
			this.fit();
		} else {
			this.askStacks();
		}
		this.redraw();
	}

	tracksOf(answer) {
		return TRACKS.map(([name, title]) => {
			const first = answer.tracks.find(t => t.name === name), lines = first && name === 'heap' ? [first, answer.tracks.find(t => t.name === 'goal')] : [first];
			if (!first || !first.x.length) return null;
			let high = 0;
			for (const line of lines) for (const y of line.y) high = Math.max(high, y);
			return {title: name === 'busy Ps' ? title + ' of ' + answer.procs : title, unit: first.unit, lines, high: high || 1};
		}).filter(Boolean);
	}

	// ---- the selection ----

	async update() {
		const s = this.app.selection, run = this.app.run();
		if (!run) return;
		this.kind = KINDS.some(([k]) => k === s['timeline.rows']) ? s['timeline.rows'] : 'groups';
		this.unfolded = new Set(String(s['timeline.open'] || '').split('.').filter(Boolean).map(k => k.includes('-') ? k : run.id + '-' + k));
		Object.assign(this, {from: s.from, to: s.to, ticksOnly: run.ticks});
		for (const b of this.kinds) b.setAttribute('aria-pressed', b.dataset.kind === this.kind);
		const filtered = [...FILTERS, 'group', 'request'].some(k => s[k] !== undefined);
		this.onlyButton.hidden = !filtered;
		this.onlyButton.setAttribute('aria-pressed', s['timeline.only'] ? 'true' : 'false');
		if ((s.q || '') !== this.search && document.activeElement !== this.field) {
			this.field.value = s.q || '';
			this.search = this.field.value.toLowerCase();
			this.repaint();
		}
		await this.load();
		if (!this.moment && this.row < 0) this.panel.empty();
	}

	// Brings rows, window and cursor in line with the selection.
	async load() {
		const s = this.app.selection, runs = s['timeline.only'] ? [this.app.run()] : shownRuns(this.app), places = runs.length < 2 ? alone(runs[0]) : await place(this.app, runs, s['timeline.clock'], this.app.signal());
		if (s !== this.app.selection) return; // it is loaded by now
		const parts = divide(this, places), rows = JSON.stringify(parts.map(p => [p.params, p.shift, p.shut])), told = placed(s);
		const first = !this.window || this.run !== this.app.run().id;
		if (rows !== this.loaded || first) {
			// A run's first picture brings the number of rows.
			const unknown = parts.length === 1 && first && !s['timeline.only'], totals = unknown ? [0] : await Promise.all(parts.map(p => p.shut ? 0 : lanes('rows', p.params).then(a => a.total)));
			if (this.closed || s !== this.app.selection) return;
			this.changeRows(rows, parts, totals, first);
		}
		if (told === this.told) return;
		this.told = told;
		if (s['timeline.from'] !== undefined) this.window.show(Number(s['timeline.from']), Number(s['timeline.to']));
		else if (first && s.from !== undefined) this.zoomToRange();
		else if (s.task !== this.task) await this.zoomToTask(s.task);
		if (this.closed) return;
		const was = first || s.goroutine !== this.goroutine || s.at !== this.toldAt;
		Object.assign(this, {goroutine: s.goroutine, task: s.task, toldAt: s.at});
		if (s.at !== undefined) this.at = s.at;
		if (was && s.at !== undefined && s['timeline.from'] === undefined) this.window.reveal(s.at);
		if (was && s.goroutine !== undefined && /^\d+(\/\d+)?$/.test(s.goroutine)) await this.goTo({id: String(s.goroutine)}, s.at);
		this.moved();
	}

	changeRows(loaded, parts, totals, first) {
		const at = this.rowAt(this.row), before = parts.length > 1 && this.parts.map(p => p.run.id).join() === parts.map(p => p.run.id).join() && this.part.shift - this.parts.find(p => p.run === this.app.run()).shift;
		const moved = parts.some(p => !this.parts.some(q => q.run === p.run && q.shift === p.shift)); // another run, or another clock
		number(parts, totals);
		Object.assign(this, {loaded, parts, kept: at && this.keyOf(at), run: this.app.run().id});
		const begin = Math.min(...parts.map(p => p.shift)), end = Math.max(...parts.map(p => p.shift + p.run.duration_ns));
		if (this.window) this.window.limit(begin, end);
		if (first && before === false) {
			this.resize(); // for the width of the first picture
			this.window = new Window(begin, end);
			Object.assign(this, {moment: null, chain: null, path: null, row: -1, at: undefined, top: 0});
			this.data.reset();
		} else if (first) { // the rows stay, another run is picked
			Object.assign(this, {moment: null, chain: null, path: null, at: this.at === undefined ? undefined : this.at + before});
			this.window.show(this.window.from + before, this.window.to + before);
			this.data.shift(before);
		} else {
			if (at) this.row = -1;
			if (moved) this.window.show(begin, end);
			else this.window.show(this.window.from, this.window.to);
			this.data.reset(this.data.tracks);
		}
		this.places.clear();
		this.besides.replaceChildren(...pickers(this.app, parts));
		this.moved();
	}

	// Writes what is shown into the address, in place of what was shown before.
	remember() {
		const w = this.window, all = w.span >= w.duration, s = this.app.selection;
		const changes = {'timeline.from': all ? null : Math.floor(w.from), 'timeline.to': all ? null : Math.ceil(w.to), at: this.at === undefined ? null : Math.round(this.at)};
		this.toldAt = changes.at === null ? undefined : changes.at;
		this.told = placed({...s, ...changes});
		this.app.select(changes, {replace: true});
	}

	// ---- moving ----

	zoom(factor, around) {
		this.window.zoom(factor, around === undefined ? this.middle() : around);
		this.moved();
	}

	// Where keys and buttons zoom: at the cursor if it is visible.
	middle() {
		return this.at !== undefined && this.at >= this.window.from && this.at < this.window.to ? this.at : this.window.from + this.window.span / 2;
	}

	pan(share) {
		this.window.pan(this.window.span * share);
		this.moved();
	}

	whole() {
		this.window.show(this.window.begin, this.window.end);
		this.moved();
	}

	zoomToRange() {
		const m = this.moment, [from, to] = this.from !== undefined || this.to !== undefined ? [this.from || 0, this.to === undefined ? this.app.run().duration_ns : this.to] : m && m.g ? [m.start, m.end] : [0, this.app.run().duration_ns];
		this.window.show(from - (to - from) * 0.05, to + (to - from) * 0.05);
		this.moved();
	}

	// Shows the time of a single task, given by its id.
	async zoomToTask(id) {
		if (!/^\d+$/.test(id)) return;
		const run = this.app.run(), [task] = (await runCommand('query', ['--format=json', '@' + run.id, 'SELECT start_ns, end_ns FROM task WHERE run = :run AND id = ' + id], this.app.signal())).tables[0].rows;
		if (!task) return;
		const from = task.start_ns || 0, to = task.end_ns === null ? run.duration_ns : task.end_ns;
		this.window.show(from - (to - from) * 0.05, to + (to - from) * 0.05);
	}

	moveRow(by) {
		const row = Math.max(0, Math.min(this.total - 1, Math.max(this.row, this.row < 0 && by > 0 ? -1 : 0) + by));
		if (row < this.top) this.top = row;
		if (row >= this.top + this.rows) this.top = row - this.rows + 1;
		this.moved();
		this.cursorTo(row, this.at === undefined ? this.window.from + this.window.span / 2 : this.at);
	}

	// ---- the cursor ----

	keyOf(row) {
		return (row[9] || '') + ' ' + (row[0] === 1 ? 'g' + row[2] : row[0] === 0 ? row[8] : row[0] + ' ' + row[2]);
	}

	rowAt(row) {
		const p = this.data.picture;
		return p && p.rows[row - p.first] || null;
	}

	// Puts the cursor on a row at a time and tells what is there; `step` ns are a pixel there.
	async cursorTo(row, ns, step = 1) {
		const part = this.partAt(row), [from, to] = [this.window.from - part.shift, this.window.to - part.shift];
		Object.assign(this, {row, at: ns - part.shift});
		if (part.run.id !== this.run) {
			const at = this.at, range = [this.from, this.to].map(v => v === undefined ? null : Math.max(0, Math.min(part.run.duration_ns, v - part.shift))), none = range[0] !== null && range[0] === range[1];
			clearTimeout(this.writing);
			await this.app.select({run: part.run.id, at: Math.round(at), goroutine: null, from: none ? null : range[0], to: none ? null : range[1], 'timeline.from': Math.floor(from), 'timeline.to': Math.ceil(to)}, {replace: true});
			if (this.run !== part.run.id) return; // the reader went on
			Object.assign(this, {row, at});
		}
		this.redraw();
		return this.describe({row: row - this.part.first, ns: Math.floor(this.at), step: Math.max(1, Math.floor(step))});
	}

	async describe(where) {
		this.place.abort();
		const abort = this.place = new AbortController(), params = this.params();
		if (where.row < 0 && this.part.heading) {
			Object.assign(this, {moment: null, chain: null});
			this.panel.run(this.part);
			return this.askStacks();
		}
		try {
			const m = await lanes('moment', {...params, ...where}, abort.signal);
			if (abort.signal.aborted) return;
			Object.assign(this, {moment: m, chain: null});
			this.tell(m, where);
			if (!m.g) return this.askStacks();
			const near = {g: m.g.index, ns: m.ns};
			const [chain, marks] = await Promise.all([lanes('chain', {...params, ...near}, abort.signal), lanes('marks', {run: params.run, g: m.g.index, from: m.start, to: m.end}, abort.signal)]);
			if (abort.signal.aborted) return;
			this.chain = chain;
			this.panel.moment(m, chain, marks);
			this.askStacks();
			this.redraw();
		} catch (e) {
			if (e.name === 'AbortError') return;
			Object.assign(this, {moment: null, chain: null});
			this.panel.empty(e.message);
			this.askStacks();
		}
		this.redraw();
	}

	tell(m, where) {
		const row = this.rowAt(this.part.first + where.row);
		if (m.g) {
			this.panel.moment(m, null, null);
			this.say(goroutineName(m.g) + ': ' + m.state + (m.reason ? ' (' + m.reason + ')' : '') + ' for ' + this.panel.time(m.end - m.start));
		} else if (row && (row[0] === 0 || row[0] === 4)) {
			this.panel.row(row, m.cell);
			this.say(rowName(row));
		} else {
			this.panel.empty((row ? rowName(row) + ': no' : 'No') + ' goroutine is here at that time.');
		}
	}

	async askStacks() {
		const g = this.moment && this.moment.g, hidden = !g;
		try {
			if (g && !await this.stacks.want(g.index, this.params(), this.place.signal) && !this.belowBox.hidden) return;
		} catch (e) {
			return;
		}
		this.belowBox.hidden = hidden;
		if (!hidden) this.sizeBelow();
		this.redraw();
	}

	sizeBelow() {
		this.below.width = this.canvas.width;
		this.below.height = Math.round(this.stacks.height * this.dpr);
		this.below.style.height = this.stacks.height + 'px';
	}

	// Moves the cursor to a goroutine, and unfolds its group where its row is folded.
	async goTo(g, ns) {
		const which = g.index === undefined ? {id: g.id} : {index: g.index};
		let answer = await lanes('rows', {...this.params(), ...which});
		if (!answer.g) return this.say('Goroutine ' + g.id + ' has no row here.');
		if (answer.row < 0 && this.kind === 'groups') {
			this.unfolded.add(this.run + '-' + answer.group);
			answer = await lanes('rows', {...this.params(), ...which});
			await this.app.select({'timeline.open': [...this.unfolded].join('.')});
		} else if (answer.row < 0 && this.kind !== 'goroutines') {
			return this.app.select({'timeline.rows': null, goroutine: answer.g.id, at: ns});
		}
		if (answer.row < 0) return this.say('Goroutine ' + answer.g.id + ' does not exist in the selected time.');
		const at = Math.round(ns === undefined ? answer.lane[4] : ns);
		this.window.reveal(at);
		if (this.part.shut) await this.shut(this.part.run.id);
		const row = this.part.first + answer.row;
		this.showRow(row);
		Object.assign(this, {row, at});
		this.moved();
		return this.describe({g: answer.g.index, row: answer.row, ns: at});
	}

	showRow(row) {
		const last = this.parts[this.parts.length - 1];
		last.total = Math.max(last.total, row + 1 - last.first);
		if (row < this.top || row >= this.top + this.rows) this.top = Math.max(0, row - (this.rows >> 1));
	}

	// Enter or a click on a label: folds a group, selects what another row stands for.
	enter(at) {
		const row = this.rowAt(at);
		if (!row) return;
		if (isHeading(row)) {
			this.shut(row[9]);
		} else if (row[0] === 0) {
			if (!this.unfolded.delete(this.folds(row))) this.unfolded.add(this.folds(row));
			this.app.select({'timeline.open': [...this.unfolded].join('.') || null});
		} else if (row[0] === 1) {
			this.app.select({goroutine: /^\d+$/.test(row[2]) ? Number(row[2]) : row[2]});
		} else if (row[0] === 4) {
			this.app.select({task: row[2]});
		}
	}

	// Folds or unfolds the rows of a run.
	shut(id) {
		const now = String(this.app.selection['timeline.shut'] || '').split('.').filter(Boolean), text = String(id);
		return this.app.select({'timeline.shut': (now.includes(text) ? now.filter(k => k !== text) : [...now, text]).join('.') || null});
	}

	follow() {
		if (this.moment && this.moment.cause) this.goTo(this.moment.cause.g, this.moment.cause.ns);
		else this.say('What woke it is not known, or is not a goroutine.');
	}

	// The next or the previous span of the row.
	nextSpan(step) {
		const m = this.moment;
		if (!m || !m.g) return;
		const at = step > 0 ? m.end : m.start - 1;
		this.window.reveal(at);
		this.moved();
		this.cursorTo(this.row, at);
	}

	// ---- finding ----

	highlight() {
		this.search = this.field.value.trim().toLowerCase();
		clearTimeout(this.typing);
		this.typing = setTimeout(() => this.app.select({q: this.field.value.trim() || null}, {replace: true}), 400);
		this.repaint();
	}

	async find(back) {
		const text = this.field.value.trim();
		if (!text) return this.field.focus();
		this.finding?.abort(); // the search before this one
		const {signal} = this.finding = new AbortController();
		try {
			const {part, found} = await this.findIn(text, back, signal);
			if (found.row < 0 && part === this.part) return this.goTo(found.g, found.ns);
			const ns = found.ns + part.shift, row = part.first + Math.max(0, found.row);
			this.window.reveal(ns);
			this.showRow(row);
			this.moved();
			await this.cursorTo(row, ns, found.step);
			if (found.row < 0) await this.goTo(found.g, found.ns);
		} catch (e) {
			if (e.name !== 'AbortError') this.say(e.message);
		}
	}

	// Finds in the run of the cursor, then in the runs after it, or before it.
	async findIn(text, back, signal) {
		const parts = this.parts.filter(p => !p.shut), now = this.row < 0 ? parts[0] : this.partAt(this.row), place = this.window.columns(this.width), ns = Math.floor(this.at === undefined ? this.window.from : this.at);
		const order = back ? parts.filter(p => p.first <= now.first).reverse() : parts.filter(p => p.first >= now.first);
		for (const part of order.length ? order : [now]) {
			const own = part === now, from = {...place, from: place.from - part.shift}, at = own ? {row: Math.max(-1, this.row < 0 ? -1 : this.row - part.first), ns} : back ? {row: part.total, ns: part.run.duration_ns + 1} : {row: -1, ns: -1};
			try {
				return {part, found: await lanes('find', {...part.params, ...from, text, back: back ? 1 : 0, ...at}, signal)};
			} catch (e) {
				if (e.status !== 404 || part === order[order.length - 1]) throw e;
			}
		}
	}

	// ---- the critical path ----

	async togglePath() {
		const s = this.app.selection;
		if (this.path) this.path = null;
		else {
			const one = s.task !== undefined || s.region !== undefined ? ['--slowest=1'] : [];
			try {
				const head = await runCommand('path', ['--rows=0', ...words(this.app, 'path'), ...one, '@' + this.app.run().id, 'hops']), table = head.tables.find(t => t.name === 'hops');
				this.path = table.rows.map(h => ({g: {id: String(h.goroutine), name: h.entry}, from: h.from_ns, to: h.from_ns + h.total_ns, kind: h.kind, reason: h.reason}));
				const [a, b] = [this.path[0], this.path[this.path.length - 1]];
				if (a) this.window.show(a.from - (b.to - a.from) * 0.05, b.to + (b.to - a.from) * 0.05);
				this.say(this.path.length + ' hops' + (a ? ', ' + this.panel.time(b.to - a.from) : ''));
			} catch (e) {
				this.say(e.message);
			}
		}
		this.pathButton.setAttribute('aria-pressed', this.path ? 'true' : 'false');
		this.moved();
	}
}

export default {
	name: 'timeline', title: 'Timeline', key: 'l',
	keys: [['wheel, w s + −', 'zoom at the pointer or the cursor'], ['drag, a d', 'pan'], ['← →', 'move the cursor; with Shift by more'], ['↑ ↓ PgUp PgDn', 'move by rows; Shift+wheel scrolls them'],
		['Shift+drag', 'select a time range'], ['f, Home', 'the whole run, its beginning'], ['z', 'zoom to the selected time, or to the span under the cursor'], ['m', 'select the time of the span under the cursor'],
		['Enter', 'fold or unfold a group, select a goroutine or task'], ['[ ]', 'previous, next span of the goroutine'], ['u', 'go to the goroutine that woke this one'], ['n N', 'next, previous match'], ['p', 'critical path of the selection'], ['t', 'show or hide the counters']],
	open(app, root) {
		const timeline = new Timeline(app, root);
		root.timeline = timeline; // for tests
		return {update: () => timeline.update(), close: () => timeline.close()};
	},
};

