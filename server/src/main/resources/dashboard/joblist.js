// The list of jobs as a table that can be filtered, sorted and changed in bulk; refreshed periodically.

import { get, path, send } from './api.js';
import { sparkline } from './charts.js';
import { attribute, h, replace, setText } from './dom.js';
import { bytes, count, duration, moment, plural, rate, roughlyAgo, short } from './format.js';
import { icon } from './icons.js';
import { announce, complain, connected, notice } from './notices.js';
import { confirmed, emptyState, failure, pager, skeleton, stateBadge, tagLinks } from './parts.js';
import { go, link } from './router.js';
import { mayOperate } from './session.js';
import { isActive, isResumable, JOB_STATES, progressOf } from './words.js';

const JOBS_A_PAGE = 50;
const LIVE_MS = 2000;
const STILL_MS = 8000;

/** The number of rates in a sparkline. */
const POINTS_MAX = 60;

/** Columns of the table; those with a key can be sorted by. */
const COLUMNS = [
    { name: 'Job', key: 'name', className: 'job-cell' }, { name: 'State', key: 'state' }, { name: 'Progress', key: 'progress' },
    { name: 'Pages/s', key: 'rate', className: 'number' },
    { name: 'Queued', className: 'number' }, { name: 'Failed', key: 'failed', className: 'number' }, { name: 'Disk', className: 'number' },
    { name: 'Started', key: 'started' }, { name: 'Duration', key: 'duration', className: 'number' }, { name: 'Actions', isHidden: true },
];

/** What can be done to a job, with the jobs that allow it. */
const VERBS = {
    pause: { label: 'Pause', fits: isActive },
    resume: { label: 'Resume', fits: isResumable },
    stop: { label: 'Stop', fits: (job) => isActive(job) || job.state === 'paused' },
    delete: { label: 'Delete', fits: () => true },
};

const DONE = { pause: 'paused', resume: 'resumed', stop: 'stopped', delete: 'deleted' };

export class JobList {
    #signal;
    #query = new URLSearchParams();
    #rows = new Map();
    #selected = new Set();
    #body = h('tbody');
    #heads = new Map();
    #all = h('input', { type: 'checkbox', 'aria-label': 'Select all jobs of this page' });
    #table;
    #bulk = h('div', { class: 'bulk', role: 'region', 'aria-label': 'Selected jobs', hidden: true });
    #foot = h('div');
    #state;
    #search;
    #tag = h('span', { class: 'tag-filter', hidden: true });

    /** On a phone the table has no heads to sort by. */
    #order = h('select', { class: 'phone-only', 'aria-label': 'Sort jobs' }, h('option', { value: '' }, 'Newest first'),
        COLUMNS.filter((column) => column.key).map((column) => h('option', { value: firstOrder(column.key) }, `By ${column.name.toLowerCase()}`)));

    constructor(signal) {
        this.#signal = signal;
        this.#state = h('select', { id: 'filter-state', 'aria-label': 'Filter jobs by state' },
            h('option', { value: '' }, 'All states'), Object.keys(JOB_STATES).map((state) => h('option', { value: state }, state)));
        this.#search = h('input', { id: 'filter-q', type: 'search', placeholder: 'Search jobs', 'aria-label': 'Search jobs by name, tag, notes or seed URL' });
        this.filters = h('form', { class: 'filters', role: 'search' }, this.#tag, this.#search, this.#state, this.#order);
        this.filters.addEventListener('submit', (event) => {
            event.preventDefault();
            this.#filter();
        });
        this.#state.addEventListener('change', () => this.#filter());
        this.#search.addEventListener('search', () => this.#filter());
        this.#order.addEventListener('change', () => go([], { ...this.#current(), sort: this.#order.value, offset: '' }));
        this.#all.addEventListener('change', () => this.#selectAll());
        this.#table = h('div', { class: 'table-frame' }, h('table', { class: 'jobs' },
            h('caption', { class: 'unseen' }, 'Jobs'),
            h('thead', {}, h('tr', {}, mayOperate() && h('th', { scope: 'col', class: 'select-cell' }, this.#all), COLUMNS.map((column) => this.#head(column)))),
            this.#body));
        this.element = h('div', {}, skeleton(6));
    }

    #head(column) {
        const className = [column.className, `col-${column.name.toLowerCase().replace('/', '-')}`].filter(Boolean).join(' ');
        if (!column.key) {
            return h('th', { scope: 'col', class: className }, column.isHidden ? h('span', { class: 'unseen' }, column.name) : column.name);
        }
        const button = h('button', { type: 'button', class: 'sort', on: { click: () => this.#sortBy(column.key) } }, column.name);
        const head = h('th', { scope: 'col', class: className }, button);
        this.#heads.set(column.key, head);
        return head;
    }

    #filter() {
        go([], { ...this.#current(), state: this.#state.value, q: this.#search.value.trim(), offset: '' });
    }

    /** Sorts by a column: the largest or latest first, then reversed, then the newest job first again. */
    #sortBy(key) {
        const now = this.#query.get('sort') ?? '';
        const first = firstOrder(key);
        const second = first.startsWith('-') ? key : `-${key}`;
        go([], { ...this.#current(), sort: now === first ? second : now === second ? '' : first, offset: '' });
    }

    #current() {
        return Object.fromEntries(['state', 'q', 'tag', 'sort', 'offset'].map((name) => [name, this.#query.get(name) ?? '']));
    }

    show(query) {
        const isSame = String(query) === String(this.#query);
        this.#query = query;
        this.#state.value = query.get('state') ?? '';
        this.#search.value = query.get('q') ?? '';
        const tag = query.get('tag') ?? '';
        this.#tag.hidden = tag === '';
        replace(this.#tag, 'Tag: ', h('b', { dir: 'auto' }, tag), h('a', { href: link([], { ...this.#current(), tag: '', offset: '' }), 'aria-label': `Show jobs without the tag ${tag} too` }, '×'));
        const sort = query.get('sort') ?? '';
        this.#order.value = sort;
        this.#heads.forEach((head, key) => attribute(head, 'aria-sort',
            sort === key ? 'ascending' : sort === `-${key}` ? 'descending' : null));
        if (!isSame) {
            this.refresh();
        }
    }

    /** Reloads the list. @returns {Promise<number>} the milliseconds until the next reload */
    async refresh() {
        const requested = this.#query;
        try {
            const jobs = await get('/jobs', {
                state: requested.get('state'), q: requested.get('q'), tag: requested.get('tag'), sort: requested.get('sort'), offset: requested.get('offset'), limit: JOBS_A_PAGE,
            }, this.#signal);
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
        const known = new Set(jobs.items.map((job) => job.id));
        [...this.#selected].filter((id) => !known.has(id)).forEach((id) => this.#selected.delete(id));
        const rows = jobs.items.map((job) => {
            const row = this.#rows.get(job.id) ?? new JobRow(job.id, this.#signal, {
                act: (verb, one) => this.#act(verb, [one]), select: (isSelected) => this.#select(job.id, isSelected),
            });
            row.draw(job);
            return [job.id, row];
        });
        this.#rows = new Map(rows);
        this.#drawBulk();
        if (jobs.items.length === 0) {
            replace(this.element, ['state', 'q', 'tag'].some((name) => this.#query.get(name))
                ? emptyState('No matching jobs', 'Change the search text, the tag or the state.')
                : emptyState('No jobs yet', mayOperate() ? 'Enter a URL above and start a crawl. The first pages arrive within seconds.' : 'Jobs are shown here when they are started.'));
            return;
        }
        const elements = rows.map(([, row]) => row.element);
        if (elements.length !== this.#body.children.length || elements.some((element, index) => element !== this.#body.children[index])) {
            replace(this.#body, elements);
        }
        replace(this.#foot, jobs.total > jobs.items.length || jobs.offset > 0 ? this.#pager(jobs) : []);
        if (!this.element.contains(this.#table)) {
            replace(this.element, this.#bulk, this.#table, this.#foot);
        }
    }

    #pager(jobs) {
        const at = (offset) => link([], { ...this.#current(), offset: offset || '' });
        return pager({
            ...jobs, shown: jobs.items.length, noun: 'job',
            previous: jobs.offset > 0 ? at(Math.max(0, jobs.offset - JOBS_A_PAGE)) : null,
            next: jobs.offset + jobs.items.length < jobs.total ? at(jobs.offset + JOBS_A_PAGE) : null,
        });
    }

    #select(id, isSelected) {
        if (isSelected) {
            this.#selected.add(id);
        } else {
            this.#selected.delete(id);
        }
        this.#drawBulk();
    }

    #selectAll() {
        const isSelected = this.#all.checked; // Changes while single rows are selected.
        this.#rows.forEach((row, id) => {
            row.select(isSelected);
            this.#select(id, isSelected);
        });
    }

    #drawBulk() {
        const jobs = [...this.#selected].map((id) => this.#rows.get(id)?.job).filter(Boolean);
        this.#all.checked = jobs.length > 0 && jobs.length === this.#rows.size;
        this.#all.indeterminate = jobs.length > 0 && jobs.length < this.#rows.size;
        this.#bulk.hidden = jobs.length === 0;
        const state = jobs.map((job) => `${job.id} ${job.state}`).join();
        if (this.#bulk.dataset.state === state) {
            return; // The focused button stays.
        }
        this.#bulk.dataset.state = state;
        replace(this.#bulk, h('b', {}, `${count(jobs.length)} selected`), Object.entries(VERBS).map(([verb, { label, fits }]) => {
            const fitting = jobs.filter(fits);
            return fitting.length > 0 && h('button', {
                type: 'button', class: `small ${verb === 'delete' ? 'danger' : ''}`, on: { click: () => this.#act(verb, fitting) },
            }, fitting.length < jobs.length ? `${label} ${count(fitting.length)}` : label);
        }));
    }

    async #act(verb, jobs) {
        const what = jobs.length === 1 ? jobs[0].name : plural(jobs.length, 'job');
        if (verb === 'delete' && !(await confirmed(`Delete ${what}?`, 'This also deletes its pages and files. It cannot be undone.', jobs.length === 1 ? 'Delete job' : 'Delete jobs'))) {
            return;
        }
        if (verb === 'stop' && !(await confirmed(`Stop ${what}?`, 'Requests in progress may finish. A stopped crawl can be resumed later.', 'Stop'))) {
            return;
        }
        let done = 0;
        for (const job of jobs) {
            try {
                await (verb === 'delete' ? send('DELETE', path`/jobs/${job.id}`) : send('POST', path`/jobs/${job.id}/${verb}`));
                this.#rows.get(job.id)?.select(false);
                this.#selected.delete(job.id);
                done++;
            } catch (problem) {
                complain(problem);
            }
        }
        if (done > 0) {
            const text = `${done === 1 ? jobs[0].name : plural(done, 'job')} ${DONE[verb]}.`;
            notice(text);
            announce(text);
        }
        await this.refresh();
    }
}

/** The order that a click on a head selects first: names from A, figures from the largest. */
function firstOrder(key) {
    return key === 'name' || key === 'state' ? key : `-${key}`;
}

/** The row of one job. Its elements are reused when figures change, which avoids flicker and keeps the focus. */
class JobRow {
    job = null;
    #id;
    #signal;
    #list;
    #box;
    #name = h('a', { class: 'job-name' });
    #tags = h('span', { class: 'tags' });
    #seeds = h('span', { class: 'job-seeds', dir: 'ltr' });
    #badge = h('span');
    #reason = h('span', { class: 'job-why' });
    #progress = h('progress', { max: 1 });
    #pages = h('span');
    #rates = [];
    #isFilled = false;
    #spark = h('span', { class: 'spark-place' });
    #rate = h('span');
    #cells = new Map();
    #buttons = new Map();

    constructor(id, signal, list) {
        this.#id = id;
        this.#signal = signal;
        this.#list = list;
        this.#box = h('input', { type: 'checkbox', 'aria-label': `Select job ${id}`, on: { change: () => list.select(this.#box.checked) } });
        const cell = (name) => {
            this.#cells.set(name, h('td', { class: 'number', 'data-label': name }));
            return this.#cells.get(name);
        };
        const started = h('td', { 'data-label': 'Started' });
        this.#cells.set('Started', started);
        this.element = h('tr', {},
            mayOperate() && h('td', { class: 'select-cell' }, this.#box),
            h('td', { class: 'job-cell' }, h('div', {}, h('span', { class: 'muted' }, `#${id} `), this.#name, this.#tags), this.#seeds),
            h('td', { class: 'state-cell' }, this.#badge, this.#reason),
            h('td', { class: 'progress-cell' }, this.#progress, this.#pages),
            h('td', { class: 'number rate-cell', 'data-label': 'Pages/s' }, this.#spark, this.#rate),
            cell('Queued'), cell('Failed'), cell('Disk'), started, cell('Duration'),
            h('td', { class: 'actions-cell' }, h('div', { class: 'actions' }, Object.entries(VERBS).map(([verb, { label }]) => {
                const button = h('button', { type: 'button', class: 'quiet icon-button', title: label, 'aria-label': `${label} job ${id}`, on: { click: () => list.act(verb, this.job) } }, icon(verb));
                this.#buttons.set(verb, button);
                return button;
            }))));
    }

    select(isSelected) {
        this.#box.checked = isSelected;
    }

    draw(job) {
        this.job = job;
        const hasEnded = !isActive(job) && job.state !== 'paused';
        attribute(this.#name, 'href', link(hasEnded && job.started ? ['jobs', job.id, 'report'] : ['jobs', job.id]));
        setText(this.#name, job.name || job.seeds[0]);
        const tags = (job.tags ?? []).join(' ');
        if (this.#tags.dataset.tags !== tags) {
            this.#tags.dataset.tags = tags;
            replace(this.#tags, tagLinks(job.tags));
        }
        const more = (job.seedsTotal ?? job.seeds.length) - 1;
        setText(this.#seeds, job.seeds[0] + (more > 0 ? ` and ${plural(more, 'more seed')}` : '') + (job.createdBy ? ` · by ${job.createdBy}` : ''));
        if (this.#badge.dataset.state !== job.state) {
            this.#badge.dataset.state = job.state;
            replace(this.#badge, stateBadge(job.state));
        }
        setText(this.#reason, job.problem || job.reason || '');
        attribute(this.#reason, 'title', job.problem || job.reason || null);
        this.element.classList.toggle('has-problem', Boolean(job.problem) || job.state === 'failed');
        this.#drawProgress(job);
        this.#drawRate(job);
        const figures = {
            Queued: short(job.counts.queued), Failed: short(job.counts.failed), Disk: Number.isFinite(job.diskBytes) ? bytes(job.diskBytes) : '–',
            Started: job.started ? roughlyAgo(job.started) : 'not started', Duration: job.started ? duration(job.elapsedMs) : '',
        };
        Object.entries(figures).forEach(([name, text]) => setText(this.#cells.get(name), text));
        this.#cells.get('Failed').classList.toggle('bad', job.counts.failed > 0);
        attribute(this.#cells.get('Disk'), 'title', `${bytes(job.counts.bytes)} received`);
        attribute(this.#cells.get('Started'), 'title', moment(job.started) || null);
        this.#buttons.forEach((button, verb) => {
            button.hidden = !mayOperate() || !VERBS[verb].fits(job);
        });
    }

    #drawProgress(job) {
        const { share, text } = progressOf(job);
        this.#progress.value = share;
        attribute(this.#progress, 'aria-label', `Progress of job ${job.id}`);
        setText(this.#pages, text);
    }

    #drawRate(job) {
        setText(this.#rate, isActive(job) ? rate(job.rate) : '');
        if (!isActive(job)) {
            replace(this.#spark);
            this.#rates = [];
            this.#isFilled = false;
            return;
        }
        if (!this.#isFilled) {
            this.#isFilled = true;
            this.#fill();
        }
        this.#rates = [...this.#rates, job.rate ?? 0].slice(-POINTS_MAX);
        this.#drawSpark();
    }

    #drawSpark() {
        replace(this.#spark, sparkline(this.#rates, `Pages per second, latest ${rate(this.#rates.at(-1))}`));
    }

    /** Loads the rates before now; a sparkline without them is still correct. */
    async #fill() {
        try {
            const { points } = await get(path`/jobs/${this.#id}/history`, {}, this.#signal);
            const step = Math.max(1, Math.ceil(points.length / POINTS_MAX));
            const before = points.filter((_, index) => (points.length - 1 - index) % step === 0).map((point) => point.rate);
            this.#rates = [...before, ...this.#rates].slice(-POINTS_MAX);
            this.#drawSpark();
        } catch (problem) {
            if (problem.status !== 404) {
                complain(problem);
            }
        }
    }
}
