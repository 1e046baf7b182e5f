// All calls of the REST API. Whatever goes wrong comes out as a Problem whose message is one sentence to show.

const ROOT = '/api/v1';

/** Answers that are to be held in memory as text end here; larger ones are for downloading. */
const TEXT_CHARS_MAX = 20_000_000;

/** What the service, or the way to it, had to object. */
export class Problem extends Error {
    /**
     * @param {number} status the HTTP status; 0 when no answer came
     * @param {string} detail one sentence
     * @param {string} field the field to blame, or nothing
     */
    constructor(status, detail, field = '') {
        super(detail);
        this.name = 'Problem';
        this.status = status;
        this.field = field;
    }
}

let unauthorised = () => {};

/** Says who is to be told when the service asks for a token. */
export function onUnauthorised(listener) {
    unauthorised = listener;
}

/** A path with its parts escaped and the parameters that have a value: path`/jobs/${7}/pages` */
export function path(strings, ...parts) {
    return strings.reduce((text, next, index) => text + encodeURIComponent(parts[index - 1]) + next);
}

/** The address of a download or stream. */
export function address(route, query = {}) {
    const given = Object.entries(query).filter(([, value]) => value !== '' && value !== null && value !== undefined);
    const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
    return ROOT + route + (search ? `?${search}` : '');
}

/** @returns {Promise<any>} the JSON of an answer */
export async function get(route, query = {}, signal = undefined) {
    const answer = await call('GET', address(route, query), { signal });
    return answer.json();
}

/** @returns {Promise<string>} the text of an answer */
export async function text(route, query = {}, signal = undefined) {
    const answer = await call('GET', address(route, query), { signal });
    return bounded(answer);
}

/** Sends something; what comes back is JSON, or null where there is nothing. */
export async function send(method, route, body = undefined, headers = {}) {
    const options = { headers: { ...headers } };
    if (body !== undefined) {
        options.body = JSON.stringify(body);
        options.headers['Content-Type'] = 'application/json';
    }
    const answer = await call(method, address(route), options);
    return answer.status === 204 ? null : answer.json();
}

async function call(method, url, options) {
    let answer;
    try {
        answer = await fetch(url, {
            method,
            credentials: 'same-origin',
            cache: 'no-store',
            redirect: 'error',
            ...options,
            headers: { Accept: 'application/json, text/markdown, */*;q=0.5', ...options.headers },
        });
    } catch (error) {
        if (error.name === 'AbortError') {
            throw error;
        }
        throw new Problem(0, 'The service does not answer.');
    }
    if (!answer.ok) {
        throw await problem(answer, url);
    }
    return answer;
}

async function problem(answer, url) {
    let told = {};
    try {
        told = await answer.json();
    } catch {
        // An answer without JSON comes from something in between; its status says all there is.
        told = {};
    }
    const found = new Problem(
        answer.status,
        String(told.detail || told.title || `The service answered with status ${answer.status}.`),
        String(told.field || ''),
    );
    if (answer.status === 401 && url !== `${ROOT}/session`) {
        unauthorised();
    }
    return found;
}

/** Reads a text piece by piece, so that a huge one ends in a sentence instead of a browser without memory. */
async function bounded(answer) {
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    const pieces = [];
    let chars = 0;
    for (;;) {
        const { done, value } = await reader.read();
        if (done) {
            return pieces.join('');
        }
        chars += value.length;
        if (chars > TEXT_CHARS_MAX) {
            await reader.cancel();
            throw new Problem(413, 'This is too much text to hold in a browser; download it instead.');
        }
        pieces.push(value);
    }
}

/** A key that makes a repeated request the same request. (`randomUUID` exists on secure origins only.) */
export function idempotencyKey() {
    return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
