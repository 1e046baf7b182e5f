// The ledger: counts of all discovered URLs by state. Both sums always hold.

import { StackedBar } from './charts.js';
import { h, setText } from './dom.js';
import { count } from './format.js';

/** The states of an accepted URL, with an explanation of each. */
const ACCOUNTS = [
    ['done', 'done', 'final response received: pages, redirects, errors such as 404'],
    ['leased', 'in progress', 'being fetched now'],
    ['queued', 'queued', 'waiting to be fetched'],
    ['deadLetters', 'dead', 'dead letters: the last attempt failed; can be retried'],
    ['withdrawn', 'withdrawn', 'accepted but not requested, because of robots.txt or an exclusion'],
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
                    entry('offered', 'links found', 'all links found, including repeated ones'),
                    entry('duplicate', 'duplicates', 'links to URLs that are already known', 'equals'),
                    entry('refused', 'refused', 'out of scope, over a limit, or disallowed by robots.txt', 'plus'),
                    entry('accepted', 'accepted', 'distinct URLs of this crawl', 'plus')),
                h('dl', { class: 'sum' },
                    entry('sum', 'accepted', 'distinct URLs of this crawl'),
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
