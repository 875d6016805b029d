// What the timeline asks for. One picture at a time: a newer window waits until the answer is there, except
// that it ends an exact one, which may take long. The last picture is stretched meanwhile.
import {lanes} from '../ask.js';
import {ask as askPicture, repaint, release} from './painter.js';

const SETTLED = 120; // ms without a change after which details are asked for
const MARGIN = 4; // rows above and below those on the screen

export class Data {
	// `shown()` returns what is on the screen: {window, width, top, rows, params, look}; `took(what)` is called
	// when something has arrived, `failed(error)` when the server refused.
	constructor(shown, took, failed) {
		Object.assign(this, {shown, took, failed, picture: null, whole: null, tracks: null, flying: null, wanted: false, timer: 0, closed: false});
		this.times = []; // how long the server took for the last pictures, in ms
	}

	close() {
		this.closed = true;
		clearTimeout(this.timer);
		if (this.flying) this.flying.abort.abort();
		this.flying = null;
		this.forget();
	}

	// Forgets the pictures, as rows have changed.
	forget() {
		for (const p of [this.picture, this.whole]) release(p);
		this.picture = this.whole = null;
	}

	// Forgets everything, as the run has changed.
	reset() {
		this.forget();
		this.tracks = null;
		if (this.flying) this.flying.abort.abort();
		this.flying = null;
		this.want();
	}

	// The window or the rows have changed.
	want() {
		if (this.closed) return;
		const key = JSON.stringify(this.params()), {flying, picture} = this;
		this.wanted = Boolean(flying) && (flying.key !== key || flying.abort.signal.aborted);
		if (this.wanted && !flying.coarse) flying.abort.abort();
		else if (!flying && !(picture && picture.key === key)) this.ask(true);
		clearTimeout(this.timer);
		this.timer = setTimeout(() => this.settle(), SETTLED);
	}

	params() {
		const {window, width, top, rows, params} = this.shown(), first = Math.max(0, top - MARGIN);
		return {...params, ...window.columns(width), first, rows: rows + top - first + MARGIN};
	}

	async ask(coarse) {
		const params = this.params(), flight = {coarse, key: JSON.stringify(params), abort: new AbortController()};
		this.flying = flight;
		this.wanted = false;
		try {
			let {look} = this.shown();
			const answer = await askPicture({...params, coarse: coarse ? 1 : 0}, look, flight.abort.signal);
			// What is searched for may have changed meanwhile.
			while (this.flying === flight && !['search', 'colour', 'dpr'].every(k => look[k] === this.shown().look[k])) await repaint(answer, look = this.shown().look);
			if (this.flying !== flight) return release(answer);
			this.times.push(answer.ms);
			if (this.times.length > 1000) this.times.shift();
			answer.key = flight.key;
			if (this.picture !== this.whole) release(this.picture);
			this.picture = answer;
			if (answer.from <= 0 && answer.to >= answer.duration) {
				release(this.whole);
				this.whole = answer;
			}
			this.took('picture');
		} catch (e) {
			if (e.name !== 'AbortError' && this.flying === flight) this.failed(e);
			if (e.name !== 'AbortError') this.wanted = false;
		}
		if (this.flying !== flight) return;
		this.flying = null;
		if (this.wanted && !this.closed) this.ask(true);
	}

	// Nothing moves any more: the exact picture, and the counters.
	async settle() {
		if (this.flying) {
			this.timer = setTimeout(() => this.settle(), 40);
			return;
		}
		if (this.closed) return;
		if (this.picture && !this.picture.exact && this.picture.key === JSON.stringify(this.params())) this.ask(false);
		this.took('settled');
		const {window, width, params} = this.shown(), place = window.columns(Math.min(width, 800));
		if (this.tracks && this.tracks.key === JSON.stringify(place)) return;
		try {
			const tracks = await lanes('tracks', {...params, ...place});
			this.tracks = {...tracks, ...place, to: place.from + place.step * place.cols, key: JSON.stringify(place)};
			this.took('tracks');
		} catch (e) {
			this.failed(e);
		}
	}
}
