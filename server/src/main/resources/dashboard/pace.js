// Timers. All of them end with their view, whose signal is aborted when the user opens another view.

/** @returns {function(): void} schedules `work`, which runs at most once per `everyMs` */
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

/** Runs `work` periodically while the page is visible. */
export function everyWhileVisible(everyMs, signal, work) {
    const timer = setInterval(() => {
        if (!document.hidden) {
            work();
        }
    }, everyMs);
    signal.addEventListener('abort', () => clearInterval(timer));
}

/**
 * Repeats an asynchronous task; each round starts after the previous one has ended.
 *
 * @param {function(): Promise<number>} round runs the task and returns the milliseconds until the next round
 */
export async function repeat(signal, round) {
    while (!signal.aborted) {
        const pauseMs = await round();
        await pause(pauseMs, signal);
        await visible(signal);
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

/** Waits until the page is visible: a background tab sends no requests. */
function visible(signal) {
    return new Promise((resolve) => {
        if (!document.hidden || signal.aborted) {
            resolve();
            return;
        }
        document.addEventListener('visibilitychange', () => resolve(), { once: true, signal });
        signal.addEventListener('abort', () => resolve(), { once: true });
    });
}
