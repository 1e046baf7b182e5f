// A list of the latest captures, updated by events.

import { attribute, h, replace } from './dom.js';
import { captureItem } from './parts.js';

/** The number of captures kept and shown. */
export const LIST_MAX = 25;

/** The latest captures without duplicates. */
export class Newest {
    #id;
    #empty;
    #lines = [];
    #isDrawn = false;

    constructor(id, empty) {
        this.#id = id;
        this.#empty = empty;
        this.element = h('ul', { class: 'captures' });
    }

    /**
     * Adds page log lines. Known lines are ignored: loaded lists and events overlap.
     *
     * @returns {boolean} whether the shown list changed
     */
    add(lines) {
        const before = this.#lines.map((line) => line.seq).join();
        const bySeq = new Map([...this.#lines, ...lines].map((line) => [line.seq, line]));
        this.#lines = [...bySeq.values()].sort((one, other) => other.seq - one.seq).slice(0, LIST_MAX);
        this.#isDrawn = false;
        return this.#lines.map((line) => line.seq).join() !== before;
    }

    draw() {
        if (this.#isDrawn) {
            return;
        }
        this.#isDrawn = true;
        const known = new Map([...this.element.children].map((item) => [item.dataset.seq, item]));
        const items = this.#lines.map((line) => known.get(String(line.seq)) ?? this.#item(line));
        // Existing items are not moved, so that a focused item keeps the keyboard focus.
        [...this.element.children].filter((item) => !items.includes(item)).forEach((item) => item.remove());
        items.forEach((item, index) => {
            if (this.element.children[index] !== item) {
                this.element.insertBefore(item, this.element.children[index] ?? null);
            }
        });
        if (items.length === 0) {
            replace(this.element, h('li', { class: 'hint' }, this.#empty));
        }
    }

    #item(line) {
        const item = captureItem(this.#id, line);
        attribute(item, 'data-seq', line.seq);
        return item;
    }
}
