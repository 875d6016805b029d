// Flame graphs of the selection: viewer.js, the script of tprof-flame's files, draws what
// tprof-flame --format=frames answers. Beside the graph stands the source of a function (source.js).
import {el, svg, button, command, format, nothing} from './dom.js';
import {text} from './ask.js';
import {words, ignored} from './selection.js';
import {sampleTypes} from './top.js';
import {openPicture, leavePicture, recall, renderAll, onKeyDown} from './viewer.js';
import {sourcePanel} from './source.js';
import {alike, keepTime} from './runs.js';

// Of traces: what is wide.
const VIEWS = {
	wall: 'all time of goroutines: running, waiting for a P, blocked',
	cpu: 'samples of the CPU profiler',
	running: 'time on a P',
	offcpu: 'time blocked, by what they waited for',
	sched: 'time runnable, waiting for a P',
	syscall: 'time in system calls',
};
const WIDTHS = {
	both: 'frames as wide as the larger of old and new',
	new: 'as wide as they are in the new run',
	old: 'as wide as they were in the old run'
};
const COLOURS = {
	'beyond noise': 'color only changes that the noise of the samples does not explain',
	'all changes': 'color every change'
};
const TOTALS = {
	'as they are': 'show how much more or less it is',
	equal: 'scale the new values to the total of the old ones'
};
const KEPT = 4;

// Returns what both the graph and the source of a function count: view or sample type, and filters.
function counted(app) {
	const s = app.selection, out = words(app, 'flame');
	if (app.run().kind === 'trace') out.unshift('--view=' + (VIEWS[s['flame.view']] ? s['flame.view'] : 'wall'));
	return out;
}

function graphWords(app) {
	const s = app.selection, out = counted(app), base = baseOf(app);
	if (s['flame.reverse']) out.push('--reverse');
	if (!compares(app)) return [...out, '@' + app.run().id];
	if (s['flame.normalize']) out.push('--normalize');
	if (WIDTHS[s['flame.width']]) out.push('--width=' + s['flame.width']);
	if (s['flame.noise'] === '0') out.push('--noise=0');
	if (!base)
		return [
			...out, ...BASE_TIMES.filter(([key]) => s[key] !== undefined).map(([key,
				option]) => option + s[key] + (app.run().ticks ? '' : 'ns')),
			'@' + app.run().id
		];
	return [...out, '--base-label=' + base.id, '--label=' + app.run().id, '@'];
}

const others = app => alike(app).filter(r => r !== app.run());
const baseOf = app => others(app).find(r => r.id === Number(app.selection.base));

// The old side may be another time of the same run.
const BASE_TIMES = [['flame.from', '--base-from='], ['flame.to', '--base-to=']];
const hasBaseTime = s => BASE_TIMES.some(([key]) => s[key] !== undefined);
const compares = app => Boolean(baseOf(app)) || hasBaseTime(app.selection);

// The last answers: going back and forth asks for none again.
const answers = new Map();
async function frames(asked, signal) {
	const key = JSON.stringify(asked),
		known = answers.get(key) || JSON.parse(await text('flame', ['--format=frames', ...asked], signal));
	answers.delete(key);
	answers.set(key, known);
	if (answers.size > KEPT) answers.delete(answers.keys().next().value);
	return known;
}

function styled() {
	if (document.querySelector('link[href="/viewer.css"]')) return null;
	const link = el('link', {rel: 'stylesheet', href: '/viewer.css'});
	document.head.append(link);
	return new Promise(done => { link.onload = link.onerror = done; });
}

// The scale of a difference, as in tprof-flame's files.
function legend() {
	const steps = ['m5', 'm4', 'm3', 'm2', 'm1', 'd0', 'p1', 'p2', 'p3', 'p4', 'p5'];
	return el('p', {class: 'note scale'}, 'less ',
		svg('svg', {width: 176, height: 12, 'aria-hidden': 'true'},
			steps.map((c, i) => svg('g', {class: c}, svg('rect', {x: 16 * i, width: 16, height: 12})))),
		' more; white: the change is inside the noise of the samples');
}

// The elements that viewer.js draws into; an HTML file of tprof-flame has the same.
function skeleton(answer) {
	return [
		el('header', null, el('div', {id: 'forms', 'aria-label': 'forms of the graph'}), el('div', {id: 'tools'})),
		el('p', {class: 'note'}, answer.title, answer.title && answer.subtitle && ' · ', answer.subtitle),
		answer.data.diff && legend(),
		el('section', {id: 'graph'},
			svg('svg', {id: 'flame', 'data-head': 4, 'data-foot': 0}, svg('g', {id: 'frames', class: 'frames'}),
				svg('g', {id: 'foot'}))),
		el('section', {id: 'table'}), el('section', {id: 'sandwich'}),
		answer.notes.filter(Boolean).map(n => el('p', {class: 'note'}, n))
	];
}

function pick(label, now, names, act) {
	return el('div', {class: 'picks'}, el('span', {class: 'soft'}, label),
		Object.entries(names).map(([n, title]) => button(n, () => act(n), {'aria-pressed': String(n === now), title})));
}

export default {
	name: 'flame',
	title: 'Flame',
	key: 'f',
	keys:
		[
			['← ↑ → ↓', 'walk along the frames'], ['Enter, click', 'zoom to the frame, and open its source'],
			['s, Shift-click', 'callers and callees (sandwich)'], ['i', 'root at the top or at the bottom'],
			['0', 'show everything again']
		],
	open(app, root) {
		const tools = el('div', {class: 'subjects'}), host = el('div', {class: 'graph'}),
			aside = el('aside', {'aria-label': 'function', hidden: true}), foot = el('div');
		const panel = sourcePanel(app, aside), keys = new AbortController();
		let drawn = null, samples = null, width = 0;
		root.append(tools, el('div', {class: 'beside'}, host, aside), foot);

		// Keys work as soon as the view is open, without a click on the graph.
		document.addEventListener('keydown', e => {
			if (drawn && !e.defaultPrevented && (e.target === document.body || e.target === root)) onKeyDown(e);
			if (e.defaultPrevented) e.stopPropagation();
		}, {capture: true, signal: keys.signal});
		const resized = new ResizeObserver(() => {
			if (drawn && width !== host.clientWidth) renderAll();
			width = host.clientWidth;
		});
		resized.observe(host);

		async function drawTools(signal) {
			const s = app.selection, run = app.run(), rest = others(app), list = [];
			if (run.kind === 'trace') {
				list.push(pick('Time', VIEWS[s['flame.view']] ? s['flame.view'] : 'wall', VIEWS,
					view => app.select({'flame.view': view === 'wall' ? null : view, 'flame.at': null})));
			} else {
				if (!samples || samples.id !== run.id) samples = {id: run.id, names: await sampleTypes(run.id, signal)};
				if (samples.names.length > 1)
					list.push(pick('Values', s.sample || samples.names[samples.names.length - 1],
						Object.fromEntries(samples.names.map(n => [n, null])), sample => app.select({sample, 'flame.at': null})));
			}
			list.push(pick('From', s['flame.reverse'] ? 'leaf' : 'root',
				{root: 'callers above what they call', leaf: 'first what was running, then its callers'},
				end => app.select({'flame.reverse': end === 'leaf' ? 1 : null, 'flame.at': null})));
			if (rest.length && !hasBaseTime(s))
				list.push(el('label', null, el('span', {class: 'soft'}, 'Compare with '),
					el('select', {change: e => app.select({base: e.target.value, 'flame.at': null})},
						el('option', {value: ''}, 'nothing'),
						rest.map(r => el('option', {value: r.id, selected: baseOf(app) === r}, r.id + ' ' + r.name)))));
			list.push(times(s, run));
			if (!compares(app)) return tools.replaceChildren(...list.filter(Boolean));
			list.push(pick('Width', WIDTHS[s['flame.width']] ? s['flame.width'] : 'both', WIDTHS,
				w => app.select({'flame.width': w === 'both' ? null : w, 'flame.at': null})));
			list.push(pick('Color', s['flame.noise'] === '0' ? 'all changes' : 'beyond noise', COLOURS,
				c => app.select({'flame.noise': c === 'all changes' ? '0' : null, 'flame.at': null})));
			list.push(pick('Totals', s['flame.normalize'] ? 'equal' : 'as they are', TOTALS,
				t => app.select({'flame.normalize': t === 'equal' ? 1 : null, 'flame.at': null})));
			tools.replaceChildren(...list.filter(Boolean));
		}
		// The time that is selected becomes the old side; another one is then selected anywhere.
		function times(s, run) {
			const at = key => s[key] === undefined ? null : format('ns', Number(s[key]), run.ticks);
			if (hasBaseTime(s))
				return el('div', {class: 'picks'}, el('span', {class: 'soft'}, 'Old side '),
					[at('flame.from') || 'the beginning', at('flame.to') || 'the end'].join(' to '),
					button('×', () => app.select({'flame.from': null, 'flame.to': null, 'flame.at': null}),
						{'aria-label': 'no longer compare with this time', title: 'no longer compare with this time'}));
			return !baseOf(app) && (s.from !== undefined || s.to !== undefined) &&
				button('compare this time with another', () => keepTime(app), {class: 'times'});
		}
		function draw(answer) {
			leavePicture();
			drawn = null;
			root.classList.toggle('compared', answer.data.diff);
			if (answer.data.names.length < 3)
				return host.replaceChildren(nothing('There is nothing of this in what is selected.'));
			host.replaceChildren(...skeleton(answer).flat(9).filter(Boolean));
			openPicture(answer.data, {
				host,
				read: () => app.selection['flame.at'] || '',
				write(at) {
					written = at;
					app.select({'flame.at': at}, {replace: true});
				},
				onPick: name => app.select({'flame.source': name}),
			});
		}
		let written = '';
		return {
			async update() {
				const signal = app.signal(), asked = graphWords(app), key = JSON.stringify(asked), s = app.selection;
				const source = panel.show(s['flame.source'], [...counted(app), '@' + app.run().id]);
				if (drawn === key) {
					if (written !== (s['flame.at'] || '')) { written = s['flame.at'] || ''; recall(); renderAll(); }
					return source;
				}
				await drawTools(signal);
				const lost = ignored(app, 'flame');
				try {
					const [answer] = await Promise.all([frames(asked, signal), styled()]);
					written = s['flame.at'] || '';
					draw(answer);
					drawn = key;
				} catch (e) {
					if (e.name !== 'AbortError') { leavePicture(); drawn = null; host.replaceChildren(); }
					throw e;
				}
				foot.replaceChildren(...lost.length ?
						[el('p', {class: 'note'}, 'The graph ignores these parts of the selection: ' + lost.join(', ') + '.')] :
						[],
					command('flame', ['-o', 'flame.html', ...asked]));
				return source;
			},
			close() {
				leavePicture();
				panel.close();
				keys.abort();
				resized.disconnect();
			},
		};
	},
};
