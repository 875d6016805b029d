// What the timeline asks for. One picture at a time: a newer window waits until the answer is there, except
// that it ends an exact one, which may take long. The last picture is stretched meanwhile.
import {lanes} from '../ask.js';
import {ask as askPicture, repaint, release} from './painter.js';

const SETTLED = 120; // ms without a change after which details are asked for
const MARGIN = 4; // rows above and below those on the screen

export class Data {
	// `shown()` returns what is on the screen: {window, width, top, rows, params, parts, look}; `took(what)` is called
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

	forget() {
		for (const p of [this.picture, this.whole]) release(p);
		this.picture = this.whole = null;
	}

	// Forgets all pictures, those on their way too, as rows or the run have changed; of the same run the counters stay.
	reset(tracks = null) {
		this.forget();
		this.tracks = tracks;
		if (this.flying) this.flying.abort.abort();
		this.flying = null;
		this.want();
	}

	// The window or the rows have changed.
	want() {
		if (this.closed) return;
		const key = JSON.stringify(this.asked()), {flying, picture} = this;
		this.wanted = Boolean(flying) && (flying.key !== key || flying.abort.signal.aborted);
		if (this.wanted && !flying.coarse) flying.abort.abort();
		else if (!flying && !(picture && picture.key === key)) this.ask(true);
		clearTimeout(this.timer);
		this.timer = setTimeout(() => this.settle(), SETTLED);
	}

	// The picture's place, and of each part of the rows that it has, the heading and what to ask the server for.
	asked() {
		const {window, width, top, rows, parts} = this.shown(), first = Math.max(0, top - MARGIN), end = top + rows + MARGIN, place = window.columns(width);
		return {...place, first, alone: parts.length === 1, parts: parts.map((p, i) => {
			// Of the last part the picture brings the number of rows.
			const begin = Math.max(0, first - p.first), n = Math.min(end - p.first, i + 1 < parts.length || p.shut ? p.total : Infinity) - begin;
			return {run: p.run.id, heading: p.heading && p.first > first && p.first <= end ? p.heading : null, params: n > 0 ? {...p.params, ...place, from: place.from - p.shift, first: begin, rows: n} : null};
		}).filter(p => p.heading || p.params)};
	}

	// The picked run, and so the beginning of time, is another one.
	shift(ns) {
		for (const p of new Set([this.picture, this.whole])) if (p) Object.assign(p, {from: p.from + ns, to: p.to + ns});
		this.tracks = null;
		this.flying?.abort.abort();
		this.flying = null;
	}

	async ask(coarse) {
		const asked = this.asked(), flight = {coarse, key: JSON.stringify(asked), abort: new AbortController()};
		this.flying = flight;
		this.wanted = false;
		try {
			let {look} = this.shown();
			const answer = await askPicture({...asked, parts: asked.parts.map(p => ({...p, params: p.params && {...p.params, coarse: coarse ? 1 : 0}}))}, look, flight.abort.signal);
			// What is searched for may have changed meanwhile.
			while (this.flying === flight && !['search', 'colour', 'dpr'].every(k => look[k] === this.shown().look[k])) await repaint(answer, look = this.shown().look);
			if (this.flying !== flight) return release(answer);
			this.times.push(answer.ms);
			if (this.times.length > 1000) this.times.shift();
			answer.key = flight.key;
			if (this.picture !== this.whole) release(this.picture);
			this.picture = answer;
			const {window} = this.shown();
			if (answer.from <= window.begin && answer.to >= window.end) {
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
		if (this.picture && !this.picture.exact && this.picture.key === JSON.stringify(this.asked())) this.ask(false);
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
