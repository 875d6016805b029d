// The time that is shown: [from, from + span) in ns since the run began, from all of [begin, end) to 1 ns.

export class Window {
	constructor(begin, end) {
		this.limit(begin, end);
		this.from = begin;
		this.span = this.duration;
	}

	limit(begin, end) {
		this.begin = begin;
		this.duration = Math.max(1, end - begin);
	}

	get end() {
		return this.begin + this.duration;
	}

	get to() {
		return this.from + this.span;
	}

	show(from, to) {
		this.span = Math.min(Math.max(1, to - from), this.duration);
		this.from = Math.min(Math.max(this.begin, from), this.end - this.span);
	}

	// Makes the span `factor` times as long; the time `around` stays where it is.
	zoom(factor, around) {
		const span = Math.min(Math.max(1, this.span * factor), this.duration);
		const from = around - (around - this.from) * (span / this.span);
		this.show(from, from + span);
	}

	pan(ns) {
		this.show(this.from + ns, this.to + ns);
	}

	// Moves so that a time is visible, near the middle if it was not.
	reveal(ns) {
		if (ns < this.from || ns >= this.to) this.pan(ns - (this.from + this.span / 2));
	}

	// The picture to ask for: columns of `step` whole ns, a pixel each where they are not finer.
	columns(width) {
		const step = Math.max(1, Math.floor(this.span / width)), from = Math.floor(this.from / step) * step;
		return {from, step, cols: Math.min(8192, Math.ceil((this.to - from) / step) + 1)};
	}
}

// Times at which an axis has ticks, at least `apart` pixels from each other, and their labels.
export function ticks(window, width, apart, label) {
	const least = Math.max(1, window.span * apart / width), power = 10 ** Math.floor(Math.log10(least));
	const step = [1, 2, 5, 10].map(m => m * power).find(s => s >= least * 0.9999), out = [];
	for (let t = Math.ceil(window.from / step) * step; t < window.to; t += step) out.push({ns: t, text: label(t, step)});
	return out;
}

// A time with as many digits as tell it from its neighbours `step` ns away.
export function exactTime(ns, step) {
	const units = [[1e9, 's'], [1e6, 'ms'], [1e3, 'us'], [1, 'ns']], [unit, name] = units.find(([u]) => Math.max(Math.abs(ns), step) >= u) || units[3];
	return (ns / unit).toFixed(Math.max(0, Math.min(9, Math.ceil(-Math.log10(step / unit) - 1e-9)))) + name;
}
