// Subscribes to a job's events.
//
// EventSource reconnects by itself after a lost connection and sends the id of the last event, so no event is missed. It
// stops when the service responds with an error. Then a new EventSource is opened after a pause; it has no last event id,
// so the listener reloads everything. The same happens when a background tab becomes visible again: browsers limit the
// connections per host, so a hidden tab closes its stream.

import { address, path } from './api.js';
import { connected } from './notices.js';

const RETRY_MS = 3000;

/** How long a tab may be hidden before its stream is closed. */
const HIDDEN_MS = 20_000;

/** The maximum time that the first load waits for the stream to open. */
const OPENING_MS = 1000;

const TYPES = ['state', 'progress', 'page', 'error', 'host', 'reset'];

/**
 * @param {string} jobId
 * @param {AbortSignal} signal ends it
 * @param {{load: function(): void} & Object<string, function(any): void>} listener `load` reloads everything; the
  *     others receive events by type
 */
export function follow(jobId, signal, listener) {
    let source = null;
    let retry = 0;
    let hiding = 0;

    const close = () => {
        clearTimeout(retry);
        source?.close();
        source = null;
    };

    const open = () => {
        close();
        const stream = new EventSource(address(path`/jobs/${jobId}/events`));
        source = stream;
        let loaded = false;
        const load = () => {
            if (!loaded && !signal.aborted && source === stream) {
                loaded = true;
                listener.load();
            }
        };
        // Data loaded after the stream has opened cannot miss an event in between.
        setTimeout(load, OPENING_MS);
        stream.addEventListener('open', () => {
            connected(true);
            loaded = false; // Data loaded before the stream opened may have missed events.
            load();
        });
        TYPES.forEach((type) => stream.addEventListener(type, (event) => take(type, event)));
        // A connection failure is also an event named "error", but not a MessageEvent.
        stream.addEventListener('error', (event) => {
            if (!(event instanceof MessageEvent)) {
                lost(stream);
            }
        });
    };

    const take = (type, event) => {
        if (!(event instanceof MessageEvent)) {
            return;
        }
        if (type === 'reset') {
            listener.load();
        } else {
            listener[type]?.(JSON.parse(event.data));
        }
    };

    const lost = (stream) => {
        if (signal.aborted || source !== stream) {
            return;
        }
        connected(false);
        if (stream.readyState === EventSource.CLOSED) {
            clearTimeout(retry);
            retry = setTimeout(open, RETRY_MS);
        }
    };

    document.addEventListener('visibilitychange', () => {
        clearTimeout(hiding);
        if (document.hidden) {
            hiding = setTimeout(close, HIDDEN_MS);
        } else if (!source) {
            open();
        }
    }, { signal });
    signal.addEventListener('abort', () => {
        clearTimeout(hiding);
        close();
        connected(true);
    });
    open();
}
