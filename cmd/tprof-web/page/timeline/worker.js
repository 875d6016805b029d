// Fetches pictures and paints their images beside the page's own thread. A message is {id, asked, look} for a
// picture of the server's, {id, picture, look} for one to paint again, or {id} to end a request; the answer is
// {id, picture, image, ms} or {id, error}. The first message is an empty one: the worker has started.
import {make, paint} from './picture.js';

const flying = new Map();

async function fetched(id, asked, look) {
	const abort = new AbortController();
	flying.set(id, abort);
	try {
		return await make(asked, look, abort.signal);
	} finally {
		flying.delete(id);
	}
}

const buffers = p => [...new Set([p.cell, p.gc, p.stw, p.whose, ...(p.bands || []).flatMap(b => [b.gc, b.stw])].filter(Boolean).map(a => a.buffer))];

onmessage = async ({data: {id, asked, picture, look}}) => {
	if (!look) return flying.has(id) && flying.get(id).abort();
	try {
		const made = asked ? await fetched(id, asked, look) : {image: await paint(picture, look)};
		postMessage({id, ...made}, [made.image, ...made.picture ? buffers(made.picture) : []]);
	} catch (e) {
		postMessage({id, error: {name: e.name, message: e.message}});
	}
};
postMessage({});
