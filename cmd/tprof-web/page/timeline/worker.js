// Fetches pictures and paints their images beside the page's own thread. A message is {id, params, look} for a
// picture of the server's, {id, picture, look} for one to paint again, or {id} to end a request; the answer is
// {id, picture, image, ms} or {id, error}.
import {lanes} from '../ask.js';
import {parse, paint} from './picture.js';

const asked = new Map();

async function fetched(id, params) {
	const abort = new AbortController();
	asked.set(id, abort);
	try {
		return await lanes('cells', params, abort.signal);
	} finally {
		asked.delete(id);
	}
}

onmessage = async ({data: {id, params, picture, look}}) => {
	if (!look) return asked.has(id) && asked.get(id).abort();
	try {
		const begin = performance.now(), buffer = params && await fetched(id, params), ms = performance.now() - begin, p = buffer ? parse(buffer) : picture, image = await paint(p, look);
		postMessage({id, picture: buffer ? p : null, image, ms}, [image, ...buffer ? [buffer] : [], ...buffer && p.whose ? [p.whose.buffer] : []]);
	} catch (e) {
		postMessage({id, error: {name: e.name, message: e.message}});
	}
};
