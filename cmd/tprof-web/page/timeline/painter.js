// The page's side of worker.js, which is part of the page's script.
import {make, paint} from './picture.js';

const waiting = new Map();
let worker = null, ready = false, last = 0, broken = null;

// A worker takes longer to start than the first picture to come: until then the page's own thread paints.
function start() {
	worker = new Worker('/web.js', {type: 'module'});
	worker.onmessage = ({data}) => {
		const asked = waiting.get(data.id);
		ready = true;
		if (!asked) return data.image && data.image.close();
		const {resolve, reject} = asked;
		waiting.delete(data.id);
		if (data.error) reject(Object.assign(new Error(data.error.message), {name: data.error.name}));
		else resolve(data);
	};
	worker.onerror = () => {
		broken = new Error('The timeline cannot be drawn; reload this page.');
		for (const {reject} of waiting.values()) reject(broken);
		waiting.clear();
	};
}

function send(message, signal) {
	const id = ++last;
	if (broken) return Promise.reject(broken);
	if (signal) signal.addEventListener('abort', () => worker.postMessage({id}));
	return new Promise((resolve, reject) => {
		waiting.set(id, {resolve, reject});
		worker.postMessage({id, ...message});
	});
}

// Asks for a picture and has it painted; p.ms is how long the server took. `look` is {colour, dpr, nsPerPixel, search}.
export async function ask(asked, look, signal) {
	try {
		const {picture, image, ms} = await (ready ? send({asked, look}, signal) : make(asked, look, signal));
		return Object.assign(picture, {image, ms});
	} finally {
		if (!worker) start();
	}
}

// Paints a picture again.
export async function repaint(p, look) {
	const {cols, step, cell, reasons, rows} = p, image = ready ? (await send({picture: {cols, step, cell, reasons, rows}, look})).image : await paint(p, look);
	if (!p.image) return image.close(); // it was released meanwhile
	p.image.close();
	p.image = image;
}

// Frees the image of a picture that is no longer shown.
export function release(p) {
	if (p && p.image) p.image.close();
	if (p) p.image = null;
}
