// The points of a job's charts: the whole run in equal intervals, and the last minutes second by second.

/** The maximum number of points of the whole run; beyond it two are merged into one, as the service does. */
const POINTS_MAX = 600;

/** The number of seconds that are kept from events. */
const RECENT_MAX = 600;

/** A period is offered if it has this many points. */
const POINTS_MIN = 8;

/** The periods of the charts in milliseconds; 0 is the whole run. */
const PERIODS = [[0, 'whole run'], [60_000, 'last minute'], [600_000, 'last 10 minutes'], [3_600_000, 'last hour'], [86_400_000, 'last 24 hours']];

export class History {
    #interval = 1000;
    #points = [];
    #recent = [];

    /** Replaces the whole run by the response of GET /jobs/{id}/history. */
    load({ intervalMs, points }) {
        this.#interval = intervalMs;
        this.#points = points.map((point, index) => ({ ...point, seconds: secondsSince(points[index - 1], point, intervalMs) }));
    }

    /** Adds the point of the latest second. */
    add(point) {
        const next = { ...point, seconds: secondsSince(this.#recent.at(-1), point, 1000) };
        this.#recent = [...this.#recent, next].slice(-RECENT_MAX);
        const last = this.#points.at(-1);
        if (last && last.seconds + next.seconds <= this.#interval / 1000) {
            this.#points[this.#points.length - 1] = merged(last, next);
        } else {
            this.#points.push(next);
        }
        if (this.#points.length > POINTS_MAX) {
            this.#interval *= 2;
            this.#points = this.#points.flatMap((one, index, all) => (index % 2 ? [merged(all[index - 1], one)] : index === all.length - 1 ? [one] : []));
        }
    }

    /** Whether no line can be drawn. */
    isEmpty() {
        return this.#points.length < 2;
    }

    /** The periods that have enough points, with their names. */
    periods() {
        const span = Date.parse(this.#points.at(-1)?.time) - Date.parse(this.#points[0]?.time) || 0;
        return PERIODS.filter(([period]) => period === 0 || (period < span && this.within(period).points.length >= POINTS_MIN));
    }

    /**
     * Returns the points of a period before the latest one.
     *
     * @returns {{points: any[], slot: number}} the points, and the milliseconds that each stands for
     */
    within(period) {
        const isFine = period === 0 || this.#interval <= period / 30;
        const points = isFine ? this.#points : this.#recent;
        const slot = isFine ? this.#interval : 1000;
        const last = Date.parse(points.at(-1)?.time) || 0;
        return { points: period ? points.filter((point) => last - Date.parse(point.time) <= period) : points, slot };
    }
}

/** Returns responses per second by class, at the begin of the interval in which they came. */
export function responseRates(points) {
    return points.map((point) => ({
        time: new Date(Date.parse(point.time) - point.seconds * 1000).toISOString(),
        ms: point.seconds * 1000,
        ...Object.fromEntries(Object.entries(point.responses ?? {}).map(([name, number]) => [name, number / point.seconds])),
    }));
}

/** The time that a point stands for. A busy service is late with a point; a longer gap is a pause of the job. */
function secondsSince(before, point, intervalMs) {
    const passed = before ? Date.parse(point.time) - Date.parse(before.time) : intervalMs;
    return (passed > Math.max(5000, 2 * intervalMs) ? intervalMs : Math.max(500, passed)) / 1000;
}

function merged(one, other) {
    const seconds = one.seconds + other.seconds;
    const responses = Object.fromEntries(Object.keys(other.responses ?? {}).map((name) => [name, (one.responses?.[name] ?? 0) + other.responses[name]]));
    return {
        ...other, seconds, responses, rate: (one.rate * one.seconds + other.rate * other.seconds) / seconds,
        p50: other.p50 ?? one.p50, p95: Math.max(other.p95 ?? 0, one.p95 ?? 0) || undefined,
    };
}
