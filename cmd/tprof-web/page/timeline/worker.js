// Fetches pictures and paints their images beside the page's own thread. A message is {id, asked, look} for a
// picture of the server's, {id, picture, look} for one to paint again, or {id} to end a request; the answer is
// {id, picture, image, ms} or {id, error}.
import {lanes} from '../ask.js';
import {parse, paint} from './picture.js';
import {merge} from './merge.js';

const flying = new Map();

// `asked` is {from, step, cols, first, parts}: the rows of one run, or of several with headings.
async function fetched(id, {parts, alone, ...place}) {
	const abort = new AbortController();
	flying.set(id, abort);
	try {
		const pictures = await Promise.all(parts.map(async p => p.params && parse(await lanes('cells', p.params, abort.signal))));
		return alone ? pictures[0] : merge(place, parts.map((p, i) => ({...p, picture: pictures[i]})));
	} finally {
		flying.delete(id);
	}
}

const buffers = p => [...new Set([p.cell, p.gc, p.stw, p.whose, ...(p.bands || []).flatMap(b => [b.gc, b.stw])].filter(Boolean).map(a => a.buffer))];

onmessage = async ({data: {id, asked, picture, look}}) => {
	if (!look) return flying.has(id) && flying.get(id).abort();
	try {
		const begin = performance.now(), fresh = asked && await fetched(id, asked), ms = performance.now() - begin, image = await paint(fresh || picture, look);
		postMessage({id, picture: fresh, image, ms}, [image, ...fresh ? buffers(fresh) : []]);
	} catch (e) {
		postMessage({id, error: {name: e.name, message: e.message}});
	}
};
