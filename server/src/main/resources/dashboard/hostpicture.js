// The hosts of a job as a picture of politeness: every dot is a host. On the right they wait out their delays, each
// as far from the left as its next request is from now; what has come to the left may be asked, and what is being
// asked stands in the first box. Dots wander to the left, are asked, and begin anew.

import { attribute, h, replace, setText, svg } from './dom.js';
import { count, duration, plural } from './format.js';

const HEIGHT = 168;
const TOP = 24;
const BOTTOM = HEIGHT - 24;
const CELL = 13;
const RADIUS = 5;

/** More dots than this are told as a number: nobody sees them apart, and each costs. */
const DOTS_MAX = 240;

/** Hosts remembered from events; the service is asked anew every now and then anyway. */
const HOSTS_MAX = 1000;

/** Where the time line has marks. It ends at the first that is behind all hosts; what is due after the last stands at its end. */
const MARKS_MS = [1000, 2000, 5000, 10_000, 20_000, 60_000, 300_000, 900_000, 3_600_000];

/** A line shorter than this would stretch and shrink all the time. */
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

    /** Takes the hosts as the service lists them in place of all known before. */
    replaceAll(hosts) {
        this.#hosts.clear();
        hosts.forEach((host) => this.update(host));
    }

    /** Takes what changed about one host. */
    update(change) {
        this.#hosts.set(change.host, { ...this.#hosts.get(change.host), ...change });
        if (this.#hosts.size > HOSTS_MAX) {
            this.#hosts.delete(this.#hosts.keys().next().value);
        }
    }

    /** Takes how many hosts there are in each state; these figures know of hosts that are not drawn. */
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
        const rooms = roomsOf(width, this.#horizon(now));
        replace(this.#back, this.#background(rooms));
        this.#place(this.#positions(rooms, now));
        this.#describe(now);
    }

    #horizon(now) {
        const last = [...this.#hosts.values()].reduce((most, host) => Math.max(most, Date.parse(host.nextDue ?? '') - now || 0), HORIZON_MIN_MS);
        return MARKS_MS.find((mark) => mark >= last) ?? MARKS_MS.at(-1);
    }

    #background(rooms) {
        const heading = (room, name) => svg('text', { class: 'axis', x: room.x0, y: 14 },
            `${name} ${this.#counts[name] === undefined ? '' : count(this.#counts[name])}`);
        const box = (room) => svg('rect', { class: 'room', x: room.x0, y: TOP, width: room.x1 - room.x0, height: BOTTOM - TOP, rx: 6 });
        const marks = fitting(rooms.line).map(([ms, x]) => svg('g', {},
            svg('line', { class: 'grid', x1: x, x2: x, y1: TOP, y2: BOTTOM }),
            svg('text', { class: 'axis', x, y: HEIGHT - 6, 'text-anchor': 'middle' }, duration(ms).replace('.0', ''))));
        const resting = this.#counts.resting ? `, resting ${count(this.#counts.resting)}` : '';
        return [
            box(rooms.busy), heading(rooms.busy, 'busy'),
            box(rooms.ready), heading(rooms.ready, 'ready'),
            svg('text', { class: 'axis', x: rooms.line.x0, y: 14 }, `waiting ${count(this.#counts.waiting ?? 0)}${resting}`),
            marks,
        ];
    }

    /** Where each dot belongs: boxes are filled row by row, the time line in columns from the ground up. */
    #positions(rooms, now) {
        const places = new Map();
        const heights = new Map();
        const filled = { busy: 0, ready: 0 };
        for (const host of [...this.#hosts.values()].sort(byDue).slice(0, DOTS_MAX)) {
            const spot = host.state === 'busy' || host.state === 'ready'
                ? inRoom(rooms[host.state], filled[host.state]++)
                : host.nextDue && host.state !== 'idle' ? onLine(rooms.line, Date.parse(host.nextDue) - now, heights) : null;
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
            ? `Next due: ${next.host} ${left > 500 ? `in ${duration(Math.round(left / 1000) * 1000)}` : 'now'}.`
            : 'No host waits for its delay.');
    }
}

function byDue(one, other) {
    return (Date.parse(one.nextDue ?? '') || 0) - (Date.parse(other.nextDue ?? '') || 0) || one.host.localeCompare(other.host);
}

function roomsOf(width, horizonMs) {
    const box = Math.max(54, Math.min(140, width * 0.14));
    return {
        busy: { x0: 1, x1: box },
        ready: { x0: box + 12, x1: box * 2 + 12 },
        line: { x0: box * 2 + 28, x1: width - 18, horizonMs },
    };
}

function inRoom(room, index) {
    const columns = Math.max(1, Math.floor((room.x1 - room.x0 - 4) / CELL));
    const y = BOTTOM - RADIUS - 4 - Math.floor(index / columns) * CELL;
    return y < TOP + RADIUS ? null : { x: room.x0 + RADIUS + 4 + (index % columns) * CELL, y };
}

/** Seconds and hours on one line: far from now, a minute more is nothing. */
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

/** The marks of the time line that have room for their words. */
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
