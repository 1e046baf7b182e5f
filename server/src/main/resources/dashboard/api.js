// The client of the REST API. Every failure is thrown as a Problem whose message can be shown to the user.

import { connected } from './notices.js';

const ROOT = '/api/v1';

/** The maximum length of a text response held in memory; larger ones have to be downloaded. */
const TEXT_CHARS_MAX = 20_000_000;

/** An error of the service or of the connection to it. */
export class Problem extends Error {
    /**
     * @param {number} status the HTTP status; 0 without a response
     * @param {string} detail the message to show
     * @param {string} field the invalid field of the request; empty if none
     */
    constructor(status, detail, field = '') {
        super(detail);
        this.name = 'Problem';
        this.status = status;
        this.field = field;
    }
}

let unauthorised = () => {};

/** Sets the listener that is called when the service requires a token. */
export function onUnauthorised(listener) {
    unauthorised = listener;
}

/** A template tag that escapes the parts of a path: path`/jobs/${7}/pages` */
export function path(strings, ...parts) {
    return strings.reduce((text, next, index) => text + encodeURIComponent(parts[index - 1]) + next);
}

/** Returns the URL of a route, with the parameters that have a value. */
export function address(route, query = {}) {
    const given = Object.entries(query).filter(([, value]) => value !== '' && value !== null && value !== undefined);
    const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
    return ROOT + route + (search ? `?${search}` : '');
}

/** @returns {Promise<any>} the JSON of the response */
export async function get(route, query = {}, signal = undefined) {
    const response = await call('GET', address(route, query), { signal });
    return response.json();
}

/**
 * @param {string} charset of the text; an unknown one counts as UTF-8
 * @returns {Promise<string>} the text of the response
 */
export async function text(route, query = {}, signal = undefined, charset = 'utf-8') {
    const response = await call('GET', address(route, query), { signal });
    return bounded(response, decoder(charset));
}

/** Sends a request with a JSON body. @returns {Promise<any>} the JSON of the response; null for status 204 */
export async function send(method, route, body = undefined, headers = {}) {
    const options = { headers: { ...headers } };
    if (body !== undefined) {
        options.body = JSON.stringify(body);
        options.headers['Content-Type'] = 'application/json';
    }
    const response = await call(method, address(route), options);
    return response.status === 204 ? null : response.json();
}

async function call(method, url, options) {
    let response;
    try {
        response = await fetch(url, {
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
        throw new Problem(0, 'Could not reach the service.');
    }
    if (!response.ok) {
        throw await problem(response, url);
    }
    connected(true);
    return response;
}

async function problem(response, url) {
    let details = {};
    try {
        details = await response.json();
    } catch {
        // A response without JSON comes from a proxy; only its status is known.
        details = {};
    }
    const found = new Problem(
        response.status,
        String(details.detail || details.title || `The service responded with status ${response.status}.`),
        String(details.field || ''),
    );
    if (response.status === 401 && url !== `${ROOT}/session`) {
        unauthorised();
    }
    return found;
}

function decoder(charset) {
    try {
        return new TextDecoderStream(charset);
    } catch {
        return new TextDecoderStream(); // The site has invented a name.
    }
}

/** Reads a text in chunks, so that a huge one fails with a message instead of exhausting the browser's memory. */
async function bounded(response, decoding) {
    const reader = response.body.pipeThrough(decoding).getReader();
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
            throw new Problem(413, 'The text is too large to show here. Download it instead.');
        }
        pieces.push(value);
    }
}

/** Creates a random Idempotency-Key. (`randomUUID` exists on secure origins only.) */
export function idempotencyKey() {
    return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
