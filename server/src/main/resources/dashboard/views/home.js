// The home view: totals, the form that starts a crawl, and the list of jobs.

import { get } from '../api.js';
import { h, replace, setText } from '../dom.js';
import { bytes, count, plural, rate, short } from '../format.js';
import { JobList } from '../joblist.js';
import { repeat } from '../pace.js';
import { mayOperate } from '../session.js';
import { startForm } from '../startform.js';

const TOTALS_EVERY_MS = 5000;

export async function home({ root, query, signal, title }) {
    title('');
    const list = new JobList(signal);
    const totals = new Totals();
    replace(root,
        h('h1', { class: 'unseen' }, 'Orbweaver: crawl jobs'),
        totals.element,
        mayOperate() && startForm(signal, query.get('copy') ?? ''),
        h('section', { 'aria-labelledby': 'jobs-title' },
            h('div', { class: 'panel-head' }, h('h2', { id: 'jobs-title' }, 'Jobs'), list.filters),
            list.element));
    const update = (next) => list.show(next);
    update(query);
    repeat(signal, () => list.refresh());
    repeat(signal, () => totals.refresh(signal));
    return update;
}

/** The figures of all jobs together. */
class Totals {
    #values = new Map();
    #notes = new Map();

    constructor() {
        const tile = (key, name) => {
            this.#values.set(key, h('dd', {}, '–'));
            this.#notes.set(key, h('dd', { class: 'tile-note' }));
            return h('div', { class: 'tile' }, h('dt', {}, name), this.#notes.get(key), this.#values.get(key));
        };
        this.element = h('dl', { class: 'tiles totals' },
            tile('running', 'running jobs'), tile('rate', 'pages/s'), tile('today', 'pages today'), tile('pages', 'stored pages'), tile('disk', 'disk used'));
    }

    async refresh(signal) {
        try {
            const found = await get('/totals', {}, signal);
            const all = Object.values(found.jobs).reduce((sum, one) => sum + one, 0);
            const shown = {
                running: [count(found.jobs.running), [`of ${plural(all, 'job')}`, found.jobs.queued && `${count(found.jobs.queued)} waiting`].filter(Boolean).join(', ')],
                rate: [rate(found.pagesPerSecond), 'all jobs together'],
                today: [short(found.pagesToday), `since 00:00 UTC, ${plural(found.startedToday, 'job')} started`],
                pages: [short(found.pages), 'all jobs'],
                disk: found.disk ? [bytes(found.disk.usedBytes), `${bytes(found.disk.freeBytes)} free`] : ['–', 'not measured yet'],
            };
            Object.entries(shown).forEach(([key, [value, note]]) => {
                setText(this.#values.get(key), value);
                setText(this.#notes.get(key), note);
            });
        } catch {
            // The list of jobs reports problems; the figures keep their last values.
        }
        return TOTALS_EVERY_MS;
    }
}
