// Answers of the server: commands and the timeline's data.

const KEPT = 32;
const answers = new Map(); // the last answers of run() by address, the oldest first

let pickedRun = () => undefined;
let pending = 0;

// Sets what returns the id of the picked run.
export function setRun(picked) {
	pickedRun = picked;
}

// Counts open requests where the style sheet and tests can see it.
function busy(step) {
	pending += step;
	document.documentElement.dataset.busy = pending;
}

async function get(address, signal) {
	busy(1);
	try {
		return await answerOf(address, signal);
	} finally {
		busy(-1);
	}
}

async function answerOf(address, signal) {
	let answer;
	try {
		answer = await fetch(address, {signal, credentials: 'same-origin'});
	} catch (e) {
		if (e.name === 'AbortError') throw e;
		throw new Error('The server does not answer; it may have ended. Start tprof-web again and reload this page.');
	}
	if (answer.ok) return answer;
	const error = new Error((await answer.text()).trim() || 'The server answers ' + answer.status + '.');
	error.status = answer.status;
	throw error;
}

// Returns the address of a command's output, for <img> too.
export function address(command, words) {
	return '/run/' + command + (words.length ? '?' + words.map(w => 'a=' + encodeURIComponent(w)).join('&') : '');
}

function keep(key, value) {
	answers.delete(key);
	answers.set(key, value);
	if (answers.size > KEPT) answers.delete(answers.keys().next().value);
	return value;
}

// Runs tprof-COMMAND with these words ('@' is the store, '@3' its run 3) and returns the object that
// --json-head writes, frozen by agreement: the last answers are kept and shared. Throws an Error with
// the command's message, or an AbortError.
export async function run(command, words, signal) {
	const key = address(command, words.includes('--json-head') ? words : ['--json-head', ...words]);
	if (answers.has(key)) return keep(key, answers.get(key));
	return keep(key, await (await get(key, signal)).json());
}

// The same, without the filters that the command refuses for this report: returns {head, words, ignored},
// ignored the options that were left out. Which those are is not repeated here; the command says it.
export async function heeding(command, words, signal) {
	const ignored = [];
	for (;;) {
		try {
			return {head: await run(command, words, signal), words, ignored};
		} catch (e) {
			const [, option] = e.status === 422 && /^tprof-\w+: (--[\w-]+) does not apply to/.exec(e.message) || [],
				left = words.filter(w => !w.startsWith(option + '='));
			if (left.length === words.length) throw e;
			ignored.push(option);
			words = left;
		}
	}
}

// Runs tprof-COMMAND and returns its output as text (text tables, SVG). Not kept.
export async function text(command, words, signal) {
	return (await get(address(command, words), signal)).text();
}

// Asks for the timeline: JSON, or an ArrayBuffer for pictures. `params` without a value are
// left out; the run is the picked one unless they name it.
export async function lanes(what, params, signal) {
	const pairs = Object.entries({run: pickedRun(), ...params}).filter(([, v]) => v !== undefined && v !== null);
	// Pictures come with every frame, and each change of data-busy restyles the whole document.
	const answer = await (what === 'cells' ? answerOf : get)('/lanes/' + what + '?' + new URLSearchParams(pairs), signal);
	return /json/.test(answer.headers.get('Content-Type')) ? answer.json() : answer.arrayBuffer();
}

// Returns what is served, and its runs: server.h and runs.h.
export async function about() {
	return (await get('/about')).json();
}
