// Fetches pictures and paints their images beside the page's own thread. A message is {id, params, look} for a
// picture of the server's, {id, picture, look} for one to paint again, or {id} to end a request; the answer is
// {id, picture, image, ms} or {id, error}. The first message is an empty one: the worker has started.
import {make, paint} from './picture.js';

const asked = new Map();

async function fetched(id, params, look) {
	const abort = new AbortController();
	asked.set(id, abort);
	try {
		return await make(params, look, abort.signal);
	} finally {
		asked.delete(id);
	}
}

onmessage = async ({data: {id, params, picture, look}}) => {
	if (!look) return asked.has(id) && asked.get(id).abort();
	try {
		const made = params ? await fetched(id, params, look) : {image: await paint(picture, look)}, p = made.picture;
		postMessage({id, ...made}, [made.image, ...p ? [p.cell.buffer] : [], ...p && p.whose ? [p.whose.buffer] : []]);
	} catch (e) {
		postMessage({id, error: {name: e.name, message: e.message}});
	}
};
postMessage({});
