// The ledger: where every URL that was ever offered has gone. Its sums hold at every moment.

import { StackedBar } from './charts.js';
import { h, setText } from './dom.js';
import { count } from './format.js';

/** The accounts a URL can be in once it was accepted, with what they mean. */
const ACCOUNTS = [
    ['done', 'done', 'answered for good: pages, redirects, errors such as 404'],
    ['leased', 'under way', 'being fetched now'],
    ['queued', 'queued', 'waiting for their turn'],
    ['deadLetters', 'given up', 'failed after the last try; they can be tried again'],
    ['withdrawn', 'withdrawn', 'accepted, then never asked for: robots.txt or an exclusion forbids it'],
];

export class Ledger {
    #figures = new Map();
    #bar = new StackedBar('Accepted URLs');

    constructor() {
        const entry = (key, name, help, className = '') => {
            const figure = h('dd', {});
            this.#figures.set(key, figure);
            return h('div', { class: `entry ${className}`, title: help }, h('dt', {}, name), figure);
        };
        this.element = h('div', { class: 'ledger' },
            h('div', { class: 'sums' },
                h('dl', { class: 'sum' },
                    entry('offered', 'offered', 'every link that was seen'),
                    entry('duplicate', 'known already', 'links to URLs that the crawl has', 'equals'),
                    entry('refused', 'refused', 'turned away: out of scope, over a limit, forbidden by robots.txt', 'plus'),
                    entry('accepted', 'accepted', 'URLs of this crawl', 'plus')),
                h('dl', { class: 'sum' },
                    entry('sum', 'accepted', 'URLs of this crawl'),
                    ACCOUNTS.map(([key, name, help], index) => entry(key, name, help, index ? 'plus' : 'equals')))),
            this.#bar.element);
    }

    draw(counts) {
        const accepted = ACCOUNTS.reduce((sum, [key]) => sum + (counts[key] ?? 0), 0);
        const offered = accepted + (counts.duplicate ?? 0) + (counts.refused ?? 0);
        const all = { ...counts, offered, accepted, sum: accepted };
        this.#figures.forEach((figure, key) => setText(figure, count(all[key])));
        this.#bar.draw(ACCOUNTS.map(([key, name, help]) => ({
            name, amount: counts[key] ?? 0, className: `account-${key}`, text: count(counts[key]), help,
        })));
    }
}
