// A chart of a job's hosts; every dot is a host. The first box holds hosts with a request in progress, the second those
// that are due. The time axis on the right places each other host by the time until its next request.

import { attribute, h, replace, setText, svg } from './dom.js';
import { count, duration, plural } from './format.js';

const HEIGHT = 168;
const TOP = 24;
const BOTTOM = HEIGHT - 24;
const CELL = 13;
const RADIUS = 5;

/** The maximum number of dots: more could not be distinguished, and each one costs time to draw. */
const DOTS_MAX = 240;

/** The maximum number of hosts kept from events; the list is also reloaded periodically. */
const HOSTS_MAX = 1000;

/** The marks of the time axis. It ends at the first mark after all hosts; hosts beyond the last mark are drawn at its end. */
const MARKS_MS = [1000, 2000, 5000, 10_000, 20_000, 60_000, 300_000, 900_000, 3_600_000];

/** The minimum length of the time axis: a shorter one would change its scale all the time. */
const HORIZON_MIN_MS = 20_000;

export class HostPicture {
    #hosts = new Map();
    #dots = new Map();
    #counts = {};
    #drawing = svg('svg', { class: 'hosts', role: 'img', height: HEIGHT });
    #back = svg('g');
    #front = svg('g');
    #caption = h('p', { class: 'readout' });

    constructor(signal) {
        this.#drawing.append(this.#back, this.#front);
        this.element = h('div', { class: 'hosts-frame' }, this.#drawing, this.#caption);
        const watcher = new ResizeObserver(() => this.draw());
        watcher.observe(this.element);
        signal.addEventListener('abort', () => watcher.disconnect());
    }

    /** Replaces all hosts by those of the service's list. */
    replaceAll(hosts) {
        this.#hosts.clear();
        hosts.forEach((host) => this.update(host));
    }

    /** Updates one host. */
    update(change) {
        this.#hosts.set(change.host, { ...this.#hosts.get(change.host), ...change });
        if (this.#hosts.size > HOSTS_MAX) {
            this.#hosts.delete(this.#hosts.keys().next().value);
        }
    }

    /** Sets the number of hosts by state, which includes hosts that are not drawn. */
    counts(counts) {
        this.#counts = counts ?? {};
    }

    draw(now = Date.now()) {
        const width = Math.floor(this.element.clientWidth);
        if (width < 200) {
            return;
        }
        attribute(this.#drawing, 'width', width);
        attribute(this.#drawing, 'viewBox', `0 0 ${width} ${HEIGHT}`);
        const areas = areasOf(width, this.#horizon(now));
        replace(this.#back, this.#background(areas));
        this.#place(this.#positions(areas, now));
        this.#describe(now);
    }

    #horizon(now) {
        const last = [...this.#hosts.values()].reduce((most, host) => Math.max(most, Date.parse(host.nextDue ?? '') - now || 0), HORIZON_MIN_MS);
        return MARKS_MS.find((mark) => mark >= last) ?? MARKS_MS.at(-1);
    }

    #background(areas) {
        const heading = (area, name) => svg('text', { class: 'axis', x: area.x0, y: 14 },
            `${name} ${this.#counts[name] === undefined ? '' : count(this.#counts[name])}`);
        const box = (area) => svg('rect', { class: 'host-box', x: area.x0, y: TOP, width: area.x1 - area.x0, height: BOTTOM - TOP, rx: 6 });
        const marks = fitting(areas.line).map(([ms, x]) => svg('g', {},
            svg('line', { class: 'grid', x1: x, x2: x, y1: TOP, y2: BOTTOM }),
            svg('text', { class: 'axis', x, y: HEIGHT - 6, 'text-anchor': 'middle' }, duration(ms).replace('.0', ''))));
        const resting = this.#counts.resting ? `, resting ${count(this.#counts.resting)}` : '';
        return [
            box(areas.busy), heading(areas.busy, 'busy'),
            box(areas.ready), heading(areas.ready, 'ready'),
            svg('text', { class: 'axis', x: areas.line.x0, y: 14 }, `waiting ${count(this.#counts.waiting ?? 0)}${resting}`),
            marks,
        ];
    }

    /** Computes the position of each dot: boxes are filled row by row, the time axis in columns from the bottom up. */
    #positions(areas, now) {
        const places = new Map();
        const heights = new Map();
        const filled = { busy: 0, ready: 0 };
        for (const host of [...this.#hosts.values()].sort(byDue).slice(0, DOTS_MAX)) {
            const spot = host.state === 'busy' || host.state === 'ready'
                ? inBox(areas[host.state], filled[host.state]++)
                : host.nextDue && host.state !== 'idle' ? onLine(areas.line, Date.parse(host.nextDue) - now, heights) : null;
            if (spot) {
                places.set(host, spot);
            }
        }
        return places;
    }

    #place(places) {
        const kept = new Set();
        for (const [host, spot] of places) {
            kept.add(host.host);
            let dot = this.#dots.get(host.host);
            if (!dot) {
                dot = svg('circle', { r: RADIUS }, svg('title'));
                this.#dots.set(host.host, dot);
                this.#front.append(dot);
            }
            attribute(dot, 'cx', spot.x.toFixed(1));
            attribute(dot, 'cy', spot.y.toFixed(1));
            attribute(dot, 'class', `dot host-${host.state}`);
            setText(dot.firstChild, `${host.host}: ${host.state}, ${plural(host.queued ?? 0, 'URL')} queued`);
        }
        for (const [name, dot] of this.#dots) {
            if (!kept.has(name)) {
                dot.remove();
                this.#dots.delete(name);
            }
        }
    }

    #describe(now) {
        const next = [...this.#hosts.values()].filter((host) => host.state === 'waiting' && host.nextDue).sort(byDue)[0];
        const counted = ['busy', 'ready', 'waiting', 'resting'].map((state) => `${count(this.#counts[state] ?? 0)} ${state}`);
        attribute(this.#drawing, 'aria-label', `Hosts by state: ${counted.join(', ')}`);
        const left = next ? Date.parse(next.nextDue) - now : 0;
        setText(this.#caption, next
            ? `Next request: ${next.host} ${left > 500 ? `in ${duration(Math.round(left / 1000) * 1000)}` : 'now'}.`
            : 'No host is waiting for its delay.');
    }
}

function byDue(one, other) {
    return (Date.parse(one.nextDue ?? '') || 0) - (Date.parse(other.nextDue ?? '') || 0) || one.host.localeCompare(other.host);
}

function areasOf(width, horizonMs) {
    const box = Math.max(54, Math.min(140, width * 0.14));
    return {
        busy: { x0: 1, x1: box },
        ready: { x0: box + 12, x1: box * 2 + 12 },
        line: { x0: box * 2 + 28, x1: width - 18, horizonMs },
    };
}

function inBox(area, index) {
    const columns = Math.max(1, Math.floor((area.x1 - area.x0 - 4) / CELL));
    const y = BOTTOM - RADIUS - 4 - Math.floor(index / columns) * CELL;
    return y < TOP + RADIUS ? null : { x: area.x0 + RADIUS + 4 + (index % columns) * CELL, y };
}

/** Returns the x position of a time on the logarithmic axis, which shows both seconds and hours. */
function along(line, ms) {
    const share = Math.log1p(Math.min(line.horizonMs, Math.max(0, ms)) / 1000) / Math.log1p(line.horizonMs / 1000);
    return line.x0 + share * (line.x1 - line.x0);
}

function onLine(line, ms, heights) {
    const x = along(line, ms);
    const column = Math.floor(x / CELL);
    const height = heights.get(column) ?? 0;
    heights.set(column, height + 1);
    const y = BOTTOM - RADIUS - 2 - height * CELL;
    return y < TOP + RADIUS ? null : { x, y };
}

/** Returns the marks of the time axis whose labels do not overlap. */
function fitting(line) {
    const shown = [];
    for (const ms of MARKS_MS.filter((mark) => mark <= line.horizonMs)) {
        const x = along(line, ms);
        if (shown.length === 0 || x - shown.at(-1)[1] > 46) {
            shown.push([ms, x]);
        }
    }
    return shown;
}
