// Charts over time, bars, and stacked bars of shares. Plain SVG and HTML elements.

import { attribute, h, replace, setText, svg } from './dom.js';
import { clock, count, hourAndMinute, moment, percent } from './format.js';
import { announce } from './notices.js';

const HEIGHT = 180;
const MARGIN = { top: 8, right: 10, bottom: 22, left: 58 };
const TICKS = 4;

/** The width that a label of the time axis needs. */
const TIME_LABEL = 84;

/** The steps of the time axis in seconds. */
const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400, 172_800, 604_800];

/**
 * A chart over time: lines, or stacked columns. The pointer or the arrow keys show the values of a time.
 *
 * @typedef {{name: string, key: string, className?: string}} Series the legend, the property of a point to draw, and its
 *     colour
 */
export class TimeChart {
    #series;
    #format;
    #stacked;
    #empty;
    #points = [];
    #drawing = svg('svg', { class: 'chart', role: 'img', height: HEIGHT, tabindex: 0 });
    #tip = h('div', { class: 'tip', hidden: true });
    #readout = h('p', { class: 'readout' });
    /** The time that the arrow keys have chosen, or the place of the pointer. */
    #chosen = null;
    #pointed = null;
    #slot = 0;
    #isWhole;

    /**
     * @param {string} title the chart's title
     * @param {Series[]} series
     * @param {function(number): string} format formats a value
     * @param {AbortSignal} signal stops observing the width
     * @param {{stacked?: boolean, whole?: boolean, empty?: string}} options whether the series add up; whether the values
     *     are whole numbers; the text without data
     */
    constructor(title, series, format, signal, { stacked = false, whole = stacked, empty = 'No data yet' } = {}) {
        this.#isWhole = whole;
        this.#series = series.map((one, index) => ({ className: `line-${index + 1}`, ...one }));
        this.#format = format;
        this.#stacked = stacked;
        this.#empty = empty;
        this.title = title;
        this.element = h('figure', { class: 'chart-frame' },
            h('figcaption', {},
                h('span', { class: 'chart-title' }, title),
                h('span', { class: 'legend' }, series.length > 1 && this.#series.map((one) =>
                    h('span', { class: 'legend-item' }, h('span', { class: `swatch ${one.className}` }), one.name)))),
            h('div', { class: 'chart-place' }, this.#drawing, this.#tip),
            this.#readout);
        const watcher = new ResizeObserver(() => this.#draw());
        watcher.observe(this.element);
        signal.addEventListener('abort', () => watcher.disconnect(), { once: true });
        this.#drawing.addEventListener('pointermove', (event) => this.#point(event));
        this.#drawing.addEventListener('pointerleave', () => this.#point(null));
        this.#drawing.addEventListener('keydown', (event) => this.#key(event));
        this.#drawing.addEventListener('blur', () => this.#choose(null));
    }

    /**
     * Draws the points; each has a `time` and the values of the series. A column may have its own width in `ms`.
     *
     * @param {number} slot the milliseconds that a point stands for, if they are known; lines have a gap where points
     *     are missing
     */
    draw(points, slot = 0) {
        this.#slot = slot;
        this.#points = points.filter((point) => Number.isFinite(Date.parse(point.time)));
        this.#draw();
    }

    #draw() {
        const width = Math.floor(this.element.clientWidth);
        if (width <= MARGIN.left + MARGIN.right) {
            return;
        }
        attribute(this.#drawing, 'width', width);
        attribute(this.#drawing, 'viewBox', `0 0 ${width} ${HEIGHT}`);
        const frame = { x0: MARGIN.left, x1: width - MARGIN.right, y0: HEIGHT - MARGIN.bottom, y1: MARGIN.top };
        const scale = this.#scale(frame);
        replace(this.#drawing, this.#grid(frame, scale), this.#isEmpty() ? [] : this.#stacked ? this.#columns(frame, scale) : this.#lines(frame, scale),
            this.#cursor(frame, scale));
        this.#describe();
    }

    /** One column can be drawn, but no line from one point. */
    #isEmpty() {
        return this.#points.length < (this.#stacked ? 1 : 2);
    }

    #scale(frame) {
        const times = this.#points.map((point) => Date.parse(point.time));
        const first = times[0] ?? 0;
        const slot = this.#stacked ? this.#slot || (times.length > 1 ? times[1] - times[0] : 1000) : 0;
        const last = Math.max(times.at(-1) ?? 1, first) + Math.max(slot, 1);
        const sums = this.#points.map((point) => this.#stacked
            ? this.#series.reduce((sum, one) => sum + (point[one.key] ?? 0), 0)
            : Math.max(...this.#series.map((one) => point[one.key] ?? 0)));
        const most = sums.reduce((largest, value) => Math.max(largest, value), 0);
        // The axis of whole numbers has no fractions.
        const top = niceTop(this.#isWhole ? Math.max(TICKS, most) : most);
        return {
            first, last, top, slot,
            x: (time) => frame.x0 + ((time - first) / (last - first)) * (frame.x1 - frame.x0),
            y: (value) => frame.y0 - (value / top) * (frame.y0 - frame.y1),
            time: (x) => first + ((x - frame.x0) / (frame.x1 - frame.x0)) * (last - first),
        };
    }

    #grid(frame, scale) {
        const marks = Array.from({ length: TICKS + 1 }, (_, index) => (scale.top * index) / TICKS);
        const rows = marks.map((mark) => svg('g', {},
            svg('line', { class: 'grid', x1: frame.x0, x2: frame.x1, y1: scale.y(mark), y2: scale.y(mark) }),
            svg('text', { class: 'axis', x: frame.x0 - 8, y: scale.y(mark) + 4, 'text-anchor': 'end' }, this.#format(mark))));
        if (this.#isEmpty()) {
            return [rows, svg('text', { class: 'axis', x: (frame.x0 + frame.x1) / 2, y: HEIGHT / 2, 'text-anchor': 'middle' }, this.#empty)];
        }
        return [rows, timeMarks(scale.first, scale.last, frame.x1 - frame.x0).map(([time, label]) => {
            const x = scale.x(time);
            return svg('g', {},
                svg('line', { class: 'mark', x1: x, x2: x, y1: frame.y0, y2: frame.y0 + 4 }),
                svg('text', { class: 'axis', x: Math.min(x, frame.x1 - 22), y: HEIGHT - 4, 'text-anchor': x - frame.x0 < 24 ? 'start' : 'middle' }, label));
        })];
    }

    #lines(frame, scale) {
        return this.#series.map((one) => this.#runs(one).map((run) => {
            const x = (point) => scale.x(Date.parse(point.time)).toFixed(1);
            const corners = run.map((point) => `${x(point)},${scale.y(point[one.key]).toFixed(1)}`);
            const area = this.#series.length === 1 && run.length > 1 &&
                svg('polygon', { class: 'area', points: `${x(run[0])},${frame.y0} ${corners.join(' ')} ${x(run.at(-1))},${frame.y0}` });
            return [area || [], svg('polyline', { class: `line ${one.className}`, points: corners.join(' ') })];
        }));
    }

    /** The points of a series without gaps: a missing value is not zero, and a pause is not a line. */
    #runs(one) {
        const runs = [];
        let last = -Infinity;
        this.#points.filter((point) => Number.isFinite(point[one.key])).forEach((point) => {
            const time = Date.parse(point.time);
            if (runs.length === 0 || (this.#slot && time - last > Math.max(5000, 3 * this.#slot))) {
                runs.push([]);
            }
            runs.at(-1).push(point);
            last = time;
        });
        return runs;
    }

    #columns(frame, scale) {
        return this.#points.map((point) => {
            const width = scale.x(scale.first + (point.ms ?? scale.slot)) - frame.x0;
            const gap = width > 4 ? 1 : 0;
            let sum = 0;
            return this.#series.filter((one) => point[one.key] > 0).map((one) => {
                const from = scale.y(sum);
                sum += point[one.key];
                const to = scale.y(sum);
                return svg('rect', {
                    class: one.className, x: scale.x(Date.parse(point.time)).toFixed(2), y: to.toFixed(2),
                    width: Math.max(0.5, width - gap).toFixed(2), height: Math.max(0.5, from - to).toFixed(2),
                });
            });
        });
    }

    #cursor(frame, scale) {
        const nearest = this.#nearest(frame, scale);
        this.#tip.hidden = nearest === null;
        if (nearest === null) {
            return [];
        }
        replace(this.#tip, h('b', {}, moment(nearest.time)), [...this.#series].map((one) =>
            h('span', { class: 'legend-item' }, h('span', { class: `swatch ${one.className}` }), `${one.name} `,
                h('b', {}, Number.isFinite(nearest[one.key]) ? this.#format(nearest[one.key]) : 'n/a'))));
        const x = scale.x(Date.parse(nearest.time) + scale.slot / 2);
        const isRight = x > (frame.x0 + frame.x1) / 2;
        this.#tip.style.setProperty('inset-inline-start', isRight ? 'auto' : `${x + 12}px`);
        this.#tip.style.setProperty('inset-inline-end', isRight ? `${frame.x1 + MARGIN.right - x + 12}px` : 'auto');
        return svg('line', { class: 'cursor', x1: x, x2: x, y1: frame.y1, y2: frame.y0 });
    }

    /** The point whose values are shown; null if none is. */
    #nearest(frame, scale) {
        if (this.#isEmpty() || (this.#pointed === null && this.#chosen === null)) {
            return null;
        }
        const wanted = this.#chosen ?? scale.time(Math.min(frame.x1, Math.max(frame.x0, this.#pointed))) - scale.slot / 2;
        return this.#points.reduce((best, point) =>
            Math.abs(Date.parse(point.time) - wanted) < Math.abs(Date.parse(best.time) - wanted) ? point : best);
    }

    #reading(point) {
        const figures = this.#series.map((one) => `${one.name} ${Number.isFinite(point[one.key]) ? this.#format(point[one.key]) : 'n/a'}`);
        return `${clock(point.time)}: ${figures.join(', ')}`;
    }

    #point(event) {
        this.#pointed = event ? event.clientX - this.#drawing.getBoundingClientRect().left : null;
        this.#chosen = null;
        this.#draw();
    }

    /** The arrow keys choose a point, as the pointer does. */
    #key(event) {
        const last = this.#points.length - 1;
        const at = this.#points.findIndex((point) => Date.parse(point.time) === this.#chosen);
        const next = {
            ArrowLeft: at < 0 ? last : Math.max(0, at - 1), ArrowRight: at < 0 ? last : Math.min(last, at + 1), Home: 0, End: last,
        }[event.key];
        if (event.key === 'Escape') {
            this.#choose(null);
        } else if (next !== undefined && !this.#isEmpty()) {
            event.preventDefault();
            this.#choose(this.#points[next]);
            announce(this.#reading(this.#points[next]));
        }
    }

    #choose(point) {
        this.#chosen = point ? Date.parse(point.time) : null;
        this.#pointed = null;
        this.#draw();
    }

    #describe() {
        const last = this.#points.at(-1);
        attribute(this.#drawing, 'aria-label', `${this.title}. Last: ${last ? this.#reading(last) : 'no data yet'}. The arrow keys read other times.`);
        setText(this.#readout, last && !this.#stacked ? `Last: ${this.#reading(last)}` : '');
    }
}

/** Returns round times between two times, with their labels, as many as fit. */
function timeMarks(first, last, width) {
    const most = Math.max(1, Math.floor(width / TIME_LABEL));
    const step = 1000 * (STEPS.find((seconds) => (last - first) / (seconds * 1000) <= most) ?? STEPS.at(-1));
    // Round in local time, as the labels are.
    const shift = new Date(first).getTimezoneOffset() * 60_000;
    const marks = [];
    for (let time = Math.ceil((first - shift) / step) * step + shift; time <= last; time += step) {
        marks.push([time, step >= 86_400_000 ? moment(time).slice(0, 6) : step >= 60_000 ? hourAndMinute(time) : clock(time)]);
    }
    return marks;
}

/** Returns the next larger round number that can be divided by the number of ticks. */
function niceTop(most) {
    if (most <= 0) {
        return TICKS;
    }
    const magnitude = 10 ** Math.floor(Math.log10(most));
    const step = [1.2, 1.6, 2, 2.4, 3.2, 4, 8].find((factor) => factor * magnitude >= most) ?? 12;
    return step * magnitude;
}

/**
 * Counts as horizontal bars, with their shares of the sum unless the options say otherwise.
 *
 * @param {Array<{name: string, amount: number, text?: string, className?: string, href?: string}>} items
 */
export function bars(title, items, { areShares = true } = {}) {
    const sum = items.reduce((all, one) => all + one.amount, 0);
    const most = items.reduce((top, one) => Math.max(top, one.amount), 1);
    return h('ul', { class: 'bars', 'aria-label': title }, items.map((one) => {
        const fill = h('span', { class: `bar-fill ${one.className ?? ''}` });
        fill.style.setProperty('inline-size', `${Math.max(one.amount ? 0.5 : 0, (100 * one.amount) / most)}%`);
        return h('li', {},
            h('span', { class: 'bar-name', dir: 'auto', title: one.name }, one.href ? h('a', { href: one.href }, one.name) : one.name),
            h('span', { class: 'bar-track' }, fill),
            h('span', { class: 'bar-figure' }, one.text ?? count(one.amount), areShares && h('span', { class: 'muted' }, ` ${percent(sum ? one.amount / sum : 0)}`)));
    }));
}

/**
 * Shares of a whole as one stacked bar with a legend. Elements are reused, so that changes of size are animated.
 */
export class StackedBar {
    #bar = h('div', { class: 'stack', role: 'img' });
    #legend = h('ul', { class: 'legend' });
    #title;

    constructor(title) {
        this.#title = title;
        this.element = h('div', { class: 'stack-frame' }, this.#bar, this.#legend);
    }

    /** @param {Array<{name: string, amount: number, className: string, text: string, help?: string}>} parts */
    draw(parts) {
        const shown = parts.filter((part) => part.amount > 0);
        while (this.#bar.children.length > shown.length) {
            this.#bar.lastElementChild.remove();
        }
        shown.forEach((part, index) => {
            const piece = this.#bar.children[index] ?? this.#bar.appendChild(h('span'));
            attribute(piece, 'class', part.className);
            attribute(piece, 'title', `${part.name}: ${part.text}`);
            piece.style.setProperty('flex-grow', String(part.amount));
        });
        attribute(this.#bar, 'aria-label', `${this.#title}: ${shown.map((part) => `${part.name} ${part.text}`).join(', ') || 'no data yet'}`);
        replace(this.#legend, shown.map((part) => h('li', { class: 'legend-item', title: part.help ?? '' },
            h('span', { class: `swatch ${part.className}` }), `${part.name} `, h('b', {}, part.text))));
    }
}

/** A small line of the latest values, without axes. */
export function sparkline(values, label) {
    const top = Math.max(...values, 0.001);
    const step = values.length > 1 ? 88 / (values.length - 1) : 88;
    const corners = values.map((value, index) => `${(1 + index * step).toFixed(1)},${(21 - (value / top) * 19).toFixed(1)}`);
    return svg('svg', { class: 'spark', role: 'img', width: 90, height: 22, viewBox: '0 0 90 22', 'aria-label': label },
        svg('polyline', { class: 'line line-1', points: corners.join(' ') }));
}

/** Converts shares for {@link StackedBar}, the largest first; `help` has a label and an explanation of each. */
export function asShares(shares, help) {
    return [...shares]
        .sort((one, other) => other.share - one.share)
        .map(({ phase, share }) => ({
            name: help[phase]?.[0] ?? phase, amount: share, className: `phase-${phase}`, text: percent(share), help: help[phase]?.[1],
        }));
}
