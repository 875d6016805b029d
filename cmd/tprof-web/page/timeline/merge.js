// One picture of the pictures of several runs, whose rows follow each other below a heading for each run.
const CELL = 8, REASON = 6, HEADING = 5;

// Returns the row that heads a run's rows; it has no cells.
export function heading({run, shift, shut, how}) {
	return [HEADING, shut ? 1 : 0, String(run.id), 0, shift, shift + run.duration_ns, 0, 0, run.name, run.id, how];
}

export const isHeading = row => row[0] === HEADING;

// `place` is {from, step, cols, first}; `parts` are [{run, heading, picture}], where a heading or a picture may be null.
// The answer has in `bands` what of the collector is behind which rows, and in each row, at 9, the run's id.
export function merge(place, parts) {
	const count = p => (p.heading ? 1 : 0) + (p.picture ? p.picture.rows.length : 0), {cols} = place, total = parts.reduce((n, p) => n + count(p), 0);
	const out = {...place, to: place.from + place.step * cols, exact: true, marks: true, rows: [], reasons: [], names: {}, bands: [], cell: new Uint8Array(total * cols * CELL), whose: null};
	let whose = 0;
	for (const {run, heading, picture: p} of parts) {
		const begin = out.rows.length;
		if (heading) out.rows.push(heading);
		if (p) {
			const at = out.rows.length * cols;
			out.cell.set(p.cell, at * CELL);
			renumber(out, p, at * CELL);
			if (p.whose) whose = join(out, p, at, total * cols, whose);
			for (const row of p.rows) out.rows.push([...row, run]);
			out.exact &&= p.exact;
			out.marks &&= p.marks;
		}
		out.bands.push({first: place.first + begin, rows: out.rows.length - begin, gc: p ? p.gc.slice() : new Uint8Array(cols), stw: p ? p.stw.slice() : new Uint8Array(cols)});
	}
	return out;
}

// Reasons are numbered anew; beyond 255 there is no number left.
function renumber(out, p, at) {
	const number = [0, ...p.reasons.map(r => {
		if (!out.reasons.includes(r) && out.reasons.length < 255) out.reasons.push(r);
		return out.reasons.indexOf(r) + 1;
	})];
	for (let i = at + REASON; i < at + p.cell.length; i += CELL) out.cell[i] = number[out.cell[i]];
}

// Goroutines on Ps and Ms: their numbers begin where those of the run before end.
function join(out, p, at, cells, base) {
	let most = base;
	out.whose = out.whose || new Uint32Array(cells);
	p.whose.forEach((g, i) => {
		if (!g) return;
		out.whose[at + i] = g + base;
		most = Math.max(most, g + base);
	});
	for (const [g, name] of Object.entries(p.names)) out.names[Number(g) + base] = name;
	return most;
}
