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

/** Ends after a time or with the signal, and leaves no listener behind: a tab may run for days. */
function pause(ms, signal) {
    return new Promise((resolve) => {
        const end = () => {
            clearTimeout(timer);
            signal.removeEventListener('abort', end);
            resolve();
        };
        const timer = setTimeout(end, ms);
        signal.addEventListener('abort', end);
    });
}

/** Waits until the page is visible: a background tab sends no requests. */
function visible(signal) {
    return new Promise((resolve) => {
        const end = () => {
            document.removeEventListener('visibilitychange', end);
            signal.removeEventListener('abort', end);
            resolve();
        };
        if (!document.hidden || signal.aborted) {
            resolve();
            return;
        }
        document.addEventListener('visibilitychange', end);
        signal.addEventListener('abort', end);
    });
}
