// The list of jobs as cards, refreshed periodically.

import { get } from './api.js';
import { attribute, h, replace, setText } from './dom.js';
import { bytes, count, duration, percent, plural, rate } from './format.js';
import { connected } from './notices.js';
import { emptyState, failure, loading, pager, stateBadge } from './parts.js';
import { go, link } from './router.js';
import { isActive, JOB_STATES } from './words.js';

const JOBS_A_PAGE = 24;
const LIVE_MS = 2000;
const STILL_MS = 8000;

export class JobList {
    #signal;
    #query = new URLSearchParams();
    #cards = new Map();
    #grid = h('ul', { class: 'cards' });
    #foot = h('div');
    #state;
    #search;

    constructor(signal) {
        this.#signal = signal;
        this.#state = h('select', { id: 'filter-state', 'aria-label': 'Filter jobs by state' },
            h('option', { value: '' }, 'All states'), Object.keys(JOB_STATES).map((state) => h('option', { value: state }, state)));
        this.#search = h('input', { id: 'filter-q', type: 'search', placeholder: 'Search jobs', 'aria-label': 'Search jobs by seed URL' });
        this.filters = h('form', { class: 'filters', role: 'search' }, this.#search, this.#state);
        this.filters.addEventListener('submit', (event) => {
            event.preventDefault();
            this.#filter();
        });
        this.#state.addEventListener('change', () => this.#filter());
        this.#search.addEventListener('search', () => this.#filter());
        this.element = h('div', {}, loading());
    }

    #filter() {
        go([], { state: this.#state.value, q: this.#search.value.trim() });
    }

    show(query) {
        const isSame = String(query) === String(this.#query);
        this.#query = query;
        this.#state.value = query.get('state') ?? '';
        this.#search.value = query.get('q') ?? '';
        if (!isSame) {
            this.refresh();
        }
    }

    /** Reloads the list. @returns {Promise<number>} the milliseconds until the next reload */
    async refresh() {
        const requested = this.#query;
        try {
            const jobs = await get('/jobs', {
                state: requested.get('state'), q: requested.get('q'), offset: requested.get('offset'), limit: JOBS_A_PAGE,
            }, this.#signal);
            connected(true);
            if (requested !== this.#query || this.#signal.aborted) {
                return 0;
            }
            this.#draw(jobs);
            return jobs.items.some(isActive) ? LIVE_MS : STILL_MS;
        } catch (problem) {
            if (problem.status === 0 || problem.status === 429) {
                connected(false);
            } else if (!this.#signal.aborted && problem.status !== 401) {
                replace(this.element, failure(problem));
            }
            return LIVE_MS;
        }
    }

    #draw(jobs) {
        if (jobs.items.length === 0) {
            this.#cards.clear();
            replace(this.element, this.#query.get('state') || this.#query.get('q')
                ? emptyState('No matching jobs', 'Change the search text or the state.')
                : emptyState('No jobs yet', 'Enter a URL above and start a crawl. The first pages arrive within seconds.'));
            return;
        }
        const cards = jobs.items.map((job) => {
            const card = this.#cards.get(job.id) ?? new JobCard();
            card.draw(job);
            return [job.id, card];
        });
        this.#cards = new Map(cards);
        const elements = cards.map(([, card]) => card.element);
        if (elements.length !== this.#grid.children.length || elements.some((element, index) => element !== this.#grid.children[index])) {
            replace(this.#grid, elements);
        }
        replace(this.#foot, jobs.total > jobs.items.length || jobs.offset > 0 ? this.#pager(jobs) : []);
        if (!this.element.contains(this.#grid)) {
            replace(this.element, this.#grid, this.#foot);
        }
    }

    #pager(jobs) {
        const at = (offset) => link([], { state: this.#query.get('state'), q: this.#query.get('q'), offset: offset || '' });
        return pager({
            ...jobs, shown: jobs.items.length, noun: 'job',
            previous: jobs.offset > 0 ? at(Math.max(0, jobs.offset - JOBS_A_PAGE)) : null,
            next: jobs.offset + jobs.items.length < jobs.total ? at(jobs.offset + JOBS_A_PAGE) : null,
        });
    }
}

/** The card of one job. Its elements are reused when figures change, which avoids flicker and keeps the focus. */
class JobCard {
    #number = h('span', { class: 'muted' });
    #name = h('a', { class: 'card-name' });
    #badge = h('span');
    #progress = h('progress', { max: 1 });
    #settled = h('span');
    #figures = h('p', { class: 'card-figures' });
    #reason = h('p', { class: 'card-reason' });

    constructor() {
        this.element = h('li', { class: 'card' },
            h('div', { class: 'card-head' }, this.#number, this.#name, this.#badge),
            h('div', { class: 'card-progress' }, this.#progress, this.#settled),
            this.#figures,
            this.#reason);
    }

    draw(job) {
        attribute(this.#name, 'href', link(['jobs', job.id]));
        setText(this.#number, `#${job.id}`);
        setText(this.#name, job.name || job.seeds[0]);
        attribute(this.#name, 'title', job.seeds.join(' '));
        if (this.#badge.dataset.state !== job.state) {
            this.#badge.dataset.state = job.state;
            replace(this.#badge, stateBadge(job.state));
        }
        this.#progress.value = job.progress ?? 0;
        attribute(this.#progress, 'aria-label', `Progress of ${job.name}`);
        setText(this.#settled, percent(job.progress));
        setText(this.#figures, [
            plural(job.counts.pages, 'page'), isActive(job) && `${rate(job.rate)} pages/s`, `${count(job.counts.queued)} queued`,
            job.counts.failed > 0 && `${count(job.counts.failed)} failed`, bytes(job.counts.bytes), duration(job.elapsedMs),
        ].filter(Boolean).join(' · '));
        setText(this.#reason, job.problem || job.reason || '');
        this.element.classList.toggle('has-problem', Boolean(job.problem) || job.state === 'failed');
    }
}
