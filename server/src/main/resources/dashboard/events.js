// Follows a job's events.
//
// EventSource comes back by itself after a broken connection and says which event it saw last, so nothing is missed.
// It gives up for good when the service answers with an error, and then a new one, which knows of no last event, is
// made here after a pause; whoever listens loads everything anew. The same happens when the tab comes back to the
// front: browsers open few connections to a host, and a tab that nobody sees should hold none of them.

import { address, path } from './api.js';
import { connected } from './notices.js';

const RETRY_MS = 3000;

/** How long a tab may be out of sight before its stream is closed. */
const HIDDEN_MS = 20_000;

/** The first load does not wait longer than this for a stream that opens slowly. */
const OPENING_MS = 1000;

const TYPES = ['state', 'progress', 'page', 'error', 'host', 'reset'];

/**
 * @param {string} jobId
 * @param {AbortSignal} signal ends it
 * @param {{load: function(): void} & Object<string, function(any): void>} listener `load` loads everything; the others
 *     take the events by type
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
        // What is loaded after the stream is open cannot miss anything in between.
        setTimeout(load, OPENING_MS);
        stream.addEventListener('open', () => {
            connected(true);
            loaded = false; // What was loaded before the stream was open may have missed something.
            load();
        });
        TYPES.forEach((type) => stream.addEventListener(type, (event) => take(type, event)));
        // Trouble with the connection is an event named "error" as well, but one without data.
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
