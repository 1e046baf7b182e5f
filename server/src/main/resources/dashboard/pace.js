// How often things happen. Everything here ends with the view that asked for it: its signal is aborted when the
// reader goes elsewhere.

/** @returns {function(): void} asks for `work`, which then runs at most once in `everyMs` */
export function paced(everyMs, signal, work) {
    let timer = 0;
    let last = -Infinity;
    signal.addEventListener('abort', () => clearTimeout(timer));
    return () => {
        if (timer || signal.aborted) {
            return;
        }
        timer = setTimeout(() => {
            timer = 0;
            last = performance.now();
            work();
        }, Math.max(0, last + everyMs - performance.now()));
    };
}

/** Runs `work` every so often while somebody looks at the page. */
export function everySoOften(everyMs, signal, work) {
    const timer = setInterval(() => {
        if (!document.hidden) {
            work();
        }
    }, everyMs);
    signal.addEventListener('abort', () => clearInterval(timer));
}

/**
 * Repeats something that takes its time, the next round only after the last has ended.
 *
 * @param {function(): Promise<number>} round does it, and says after how many milliseconds to do it again
 */
export async function repeat(signal, round) {
    while (!signal.aborted) {
        const pauseMs = await round();
        await pause(pauseMs, signal);
        await seen(signal);
    }
}

function pause(ms, signal) {
    return new Promise((resolve) => {
        const timer = setTimeout(resolve, ms);
        signal.addEventListener('abort', () => {
            clearTimeout(timer);
            resolve();
        }, { once: true });
    });
}

/** Waits until somebody looks at the page: a tab in the background asks for nothing. */
function seen(signal) {
    return new Promise((resolve) => {
        if (!document.hidden || signal.aborted) {
            resolve();
            return;
        }
        document.addEventListener('visibilitychange', () => resolve(), { once: true, signal });
        signal.addEventListener('abort', () => resolve(), { once: true });
    });
}
