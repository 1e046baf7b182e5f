// Line charts over time, and stacked bars of shares. Plain SVG and HTML elements.

import { attribute, h, replace, setText, svg } from './dom.js';
import { clock, percent } from './format.js';

const HEIGHT = 150;
const MARGIN = { top: 8, right: 8, bottom: 20, left: 56 };
const TICKS = 3;

/**
 * A line chart over time.
 *
 * @typedef {{name: string, key: string}} Series the legend, and the property of a point to draw
 */
export class LineChart {
    #series;
    #format;
    #points = [];
    #drawing = svg('svg', { class: 'chart', role: 'img', height: HEIGHT });
    #readout = h('p', { class: 'readout' });
    #pointed = null;

    /**
     * @param {string} title the chart's title
     * @param {Series[]} series at most three
     * @param {function(number): string} format formats a value
     * @param {AbortSignal} signal stops observing the width
     */
    constructor(title, series, format, signal) {
        this.#series = series;
        this.#format = format;
        this.title = title;
        this.element = h('figure', { class: 'chart-frame' },
            h('figcaption', {},
                h('span', { class: 'chart-title' }, title),
                h('span', { class: 'legend' }, series.length > 1 && series.map((one, index) =>
                    h('span', { class: 'legend-item' }, h('span', { class: `swatch line-${index + 1}` }), one.name)))),
            this.#drawing,
            this.#readout);
        const watcher = new ResizeObserver(() => this.#draw());
        watcher.observe(this.element);
        signal.addEventListener('abort', () => watcher.disconnect());
        this.#drawing.addEventListener('pointermove', (event) => this.#point(event));
        this.#drawing.addEventListener('pointerleave', () => this.#point(null));
    }

    /** Draws the points; each has a `time` and the values of the series. */
    draw(points) {
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
        replace(this.#drawing, this.#grid(frame, scale), this.#lines(frame, scale), this.#cursor(frame, scale));
        this.#describe();
    }

    #scale(frame) {
        const times = this.#points.map((point) => Date.parse(point.time));
        const first = times[0] ?? 0;
        const last = Math.max(times.at(-1) ?? 1, first + 1);
        const values = this.#points.flatMap((point) => this.#series.map((one) => point[one.key] ?? 0));
        const top = niceTop(values.reduce((most, value) => Math.max(most, value), 0));
        return {
            first,
            last,
            top,
            x: (time) => frame.x0 + ((time - first) / (last - first)) * (frame.x1 - frame.x0),
            y: (value) => frame.y0 - (value / top) * (frame.y0 - frame.y1),
            time: (x) => first + ((x - frame.x0) / (frame.x1 - frame.x0)) * (last - first),
        };
    }

    #grid(frame, scale) {
        const marks = Array.from({ length: TICKS + 1 }, (_, index) => (scale.top * index) / TICKS);
        const rows = marks.map((mark) => svg('g', {},
            svg('line', { class: 'grid', x1: frame.x0, x2: frame.x1, y1: scale.y(mark), y2: scale.y(mark) }),
            svg('text', { class: 'axis', x: frame.x0 - 6, y: scale.y(mark) + 4, 'text-anchor': 'end' }, this.#format(mark))));
        if (this.#points.length < 2) {
            return [rows, svg('text', { class: 'axis', x: (frame.x0 + frame.x1) / 2, y: HEIGHT / 2, 'text-anchor': 'middle' },
                'No data yet')];
        }
        return [rows,
            svg('text', { class: 'axis', x: frame.x0, y: HEIGHT - 4 }, clock(scale.first)),
            svg('text', { class: 'axis', x: frame.x1, y: HEIGHT - 4, 'text-anchor': 'end' }, clock(scale.last))];
    }

    #lines(frame, scale) {
        if (this.#points.length < 2) {
            return [];
        }
        return this.#series.map((one, index) => {
            // A missing value is not drawn as zero.
            const known = this.#points.filter((point) => Number.isFinite(point[one.key]));
            const corners = known.map((point) =>
                `${scale.x(Date.parse(point.time)).toFixed(1)},${scale.y(point[one.key]).toFixed(1)}`);
            const area = this.#series.length === 1 &&
                svg('polygon', { class: 'area', points: `${frame.x0},${frame.y0} ${corners.join(' ')} ${frame.x1},${frame.y0}` });
            return [area || [], svg('polyline', { class: `line line-${index + 1}`, points: corners.join(' ') })];
        });
    }

    #cursor(frame, scale) {
        if (this.#pointed === null || this.#points.length < 2) {
            return [];
        }
        const wanted = scale.time(Math.min(frame.x1, Math.max(frame.x0, this.#pointed)));
        const nearest = this.#points.reduce((best, point) =>
            Math.abs(Date.parse(point.time) - wanted) < Math.abs(Date.parse(best.time) - wanted) ? point : best);
        setText(this.#readout, this.#reading(nearest));
        const x = scale.x(Date.parse(nearest.time));
        return svg('line', { class: 'cursor', x1: x, x2: x, y1: frame.y1, y2: frame.y0 });
    }

    #reading(point) {
        const figures = this.#series.map((one) => `${one.name} ${Number.isFinite(point[one.key]) ? this.#format(point[one.key]) : 'n/a'}`);
        return `${clock(point.time)}: ${figures.join(', ')}`;
    }

    #point(event) {
        this.#pointed = event ? event.clientX - this.#drawing.getBoundingClientRect().left : null;
        this.#draw();
    }

    #describe() {
        const last = this.#points.at(-1);
        const now = last ? this.#reading(last) : 'no data yet';
        attribute(this.#drawing, 'aria-label', `${this.title}. Last: ${now}`);
        if (this.#pointed === null) {
            setText(this.#readout, last ? `Last: ${this.#reading(last)}` : '');
        }
    }
}

/** Returns the next larger round number that is divisible by three. */
function niceTop(most) {
    if (most <= 0) {
        return TICKS;
    }
    const magnitude = 10 ** Math.floor(Math.log10(most));
    const step = [0.3, 0.6, 1.2, 1.5, 3, 6, 9, 12].find((factor) => factor * magnitude >= most) ?? 12;
    return step * magnitude;
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

/** Converts shares for {@link StackedBar}, the largest first. */
export function asShares(shares, help) {
    return [...shares]
        .sort((one, other) => other.share - one.share)
        .map(({ phase, share }) => ({
            name: phase, amount: share, className: `phase-${phase}`, text: percent(share), help: help[phase],
        }));
}
