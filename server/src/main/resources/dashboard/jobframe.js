// The frame shared by all views of a job: name and state, actions, tabs, and the event stream.

import { get, idempotencyKey, path, send } from './api.js';
import { attribute, h, outward, replace, setText } from './dom.js';
import { follow } from './events.js';
import { ExportMenu } from './exports.js';
import { bytes, count, duration, plural } from './format.js';
import { announce, complain, notice, noticeInNextView } from './notices.js';
import { confirmed, failure, formDialog, menu, missing, skeleton, stateBadge, tagLinks } from './parts.js';
import { go, link } from './router.js';
import { mayOperate } from './session.js';
import { isActive, isResumable } from './words.js';

const TABS = [
    ['', 'Overview'],
    ['report', 'Report'],
    ['pages', 'Pages'],
    ['site', 'Site'],
    ['failures', 'Failures'],
    ['compare', 'Compare'],
    ['why', 'Why'],
];

const SEEDS_SHOWN = 3;

/** The word before a job's elapsed time, by state. */
const ELAPSED = { running: 'for', paused: 'after' };

export class JobFrame {
    /** The container for the view's own content. */
    body = h('div', { class: 'job-body' });
    job = null;

    #id;
    #tab;
    #signal;
    #title;
    #root;
    #changed = () => {};
    #gone = new AbortController();
    #number = h('span', { class: 'muted' });
    #name = h('h1', {}, 'Job');
    #badge = h('span');
    #elapsed = h('span', { class: 'muted' });
    #reason = h('p', { class: 'job-reason' });
    #problem = h('p', { class: 'problem', role: 'status', hidden: true });
    #here = h('p', { class: 'hint', hidden: true });
    #seeds = h('p', { class: 'job-seeds' });
    #labels = h('p', { class: 'job-labels', hidden: true });
    #labelKey = '';
    #more;
    #buttons = {};

    /**
     * @param {{root: Element, params: {id: string}, signal: AbortSignal, title: function(string): void}} view
     * @param {string} tab the name of the view in the URL
     */
    constructor({ root, params, signal, title }, tab) {
        this.#id = params.id;
        this.#tab = tab;
        this.#signal = signal;
        this.#title = title;
        this.#root = root;
        replace(root,
            h('div', { class: 'job-head' },
                h('div', { class: 'job-title' }, this.#number, this.#name, this.#badge, this.#elapsed),
                h('div', { class: 'actions' }, this.#actions())),
            this.#reason,
            this.#problem,
            this.#here,
            this.#seeds,
            this.#labels,
            this.#tabs(),
            this.body);
        replace(this.body, skeleton(8));
    }

    /**
     * Loads the job and subscribes to its events. @returns {Promise<boolean>} whether the job exists
     *
     * @param {{load?: function(any): void, changed?: function(): void}} listener event handlers of the view, as in
     *     events.js; `changed` is called whenever the job has another state, however the view learns of it
     */
    async open(listener = {}) {
        this.#changed = listener.changed ?? (() => {});
        try {
            this.take(await get(path`/jobs/${this.#id}`, {}, this.#signal));
        } catch (problem) {
            if (!this.#signal.aborted && problem.status === 404) {
                this.#title('Not found');
                replace(this.#root, missing('Job not found', `${problem.message} It may have been deleted.`));
            } else if (!this.#signal.aborted && problem.status !== 401) {
                replace(this.body, failure(problem));
            }
            return false;
        }
        follow(this.#id, AbortSignal.any([this.#signal, this.#gone.signal]), {
            ...listener,
            load: async () => {
                await this.reload();
                listener.load?.();
            },
            state: (event) => {
                this.take(event.job ?? { ...this.job, state: event.state, reason: event.reason });
                announce(`${this.job.name} is ${event.state}. ${event.reason ?? ''}`);
                listener.state?.(event);
            },
            progress: (event) => {
                this.take({ ...this.job, ...event });
                listener.progress?.(event);
            },
        });
        return true;
    }

    async reload() {
        try {
            this.take(await get(path`/jobs/${this.#id}`, {}, this.#signal));
        } catch (problem) {
            if (problem.status === 404) {
                this.#leave(problem);
            } else {
                complain(problem);
            }
        }
    }

    /** Closes the event stream after another client deleted the job. */
    #leave(problem) {
        this.#gone.abort();
        this.take({ ...this.job, state: 'stopped', reason: '' });
        replace(this.body, failure(problem));
    }

    /** Shows the current state of the job. */
    take(job) {
        const isFirst = this.job === null;
        const changed = this.job?.state !== job.state;
        this.job = job;
        this.#title(job.name);
        setText(this.#number, `#${job.id}`);
        setText(this.#name, job.name || job.seeds[0]);
        setText(this.#elapsed, job.started ? `${ELAPSED[job.state] ?? 'took'} ${duration(job.elapsedMs)}` : '');
        setText(this.#reason, job.reason ?? '');
        setText(this.#problem, job.problem ?? '');
        this.#problem.hidden = !job.problem;
        this.#showLocalPages(job);
        this.#drawLabels(job);
        if (changed) {
            replace(this.#badge, stateBadge(job.state));
            this.#drawSeeds(job);
            this.#offer(job);
        }
        if (changed && !isFirst) {
            this.#changed();
        }
    }

    /** Says how many pages this worker stores: pages of other workers of a fleet cannot be shown here. */
    #showLocalPages(job) {
        const elsewhere = Number.isFinite(job.localPages) && job.localPages < job.counts.pages;
        setText(this.#here, elsewhere
            ? `${count(job.localPages)} of ${plural(job.counts.pages, 'page')} stored on this worker. Lists, search and the site tree show only these.`
            : '');
        this.#here.hidden = !elsewhere;
    }

    /** Shows tags, notes, who started the job, and its files; they are missing in events. */
    #drawLabels(job) {
        const about = [job.createdBy && `started by ${job.createdBy}`, Number.isFinite(job.diskBytes) && `${bytes(job.diskBytes)} on disk`].filter(Boolean).join(' · ');
        const key = JSON.stringify([job.tags, job.notes, about]);
        if (this.#labelKey === key) {
            return;
        }
        this.#labelKey = key;
        this.#labels.hidden = !job.tags?.length && !job.notes && !about;
        replace(this.#labels, tagLinks(job.tags), job.notes && h('span', { class: 'job-notes', dir: 'auto' }, job.notes), about && h('span', { class: 'muted' }, about));
    }

    #drawSeeds(job) {
        const shown = job.seeds.slice(0, SEEDS_SHOWN).map((seed, index) => [index > 0 && ', ', outward(seed)]);
        const more = (job.seedsTotal ?? job.seeds.length) - SEEDS_SHOWN;
        replace(this.#seeds, shown, more > 0 && ` and ${more} more`, job.preset && ` · preset ${job.preset}`);
    }

    #offer(job) {
        const possible = {
            pause: isActive(job), resume: isResumable(job), stop: isActive(job) || job.state === 'paused',
        };
        Object.entries(this.#buttons).forEach(([verb, button]) => {
            button.hidden = !possible[verb] || !mayOperate();
        });
        this.#buttons.resume.classList.toggle('primary', job.state === 'paused');
    }

    #actions() {
        const button = (verb, label, className) => {
            this.#buttons[verb] = h('button', { type: 'button', class: className, hidden: true, on: { click: () => this.#do(verb) } }, label);
            return this.#buttons[verb];
        };
        return [
            button('pause', 'Pause'),
            button('resume', 'Resume'),
            button('stop', 'Stop'),
            new ExportMenu(this.#id, this.#signal).element,
            this.#moreMenu(),
        ];
    }

    #moreMenu() {
        const item = (label, help, action, className = '') => h('li', {}, h('button', {
            type: 'button', class: `menu-item ${className}`, on: { click: () => {
                this.#more.open = false;
                this.#more.querySelector('summary').focus(); // A dialog returns the focus to it.
                action();
            } },
        }, h('b', {}, label), h('span', { class: 'muted' }, help)));
        this.#more = menu('More', (list) => list.children.length === 0 && replace(list,
            item('Run again', 'start a new job with the same URLs and settings', () => this.#runAgain()),
            item('Copy', 'edit the URLs and settings first', () => go([], { copy: this.#id })),
            item('Add URLs', 'to this job, also while it runs', () => this.#addSeeds()),
            item('Edit name, tags and notes', 'they do not change the crawl', () => this.#editLabels()),
            item('Delete', 'with all pages and files', () => this.#do('delete'), 'danger-item')));
        this.#more.hidden = !mayOperate();
        return this.#more;
    }

    async #runAgain() {
        try {
            const job = await send('POST', path`/jobs/${this.#id}/clone`, {}, { 'Idempotency-Key': idempotencyKey() });
            noticeInNextView(`Job #${job.id} started.`);
            go(['jobs', job.id]);
        } catch (problem) {
            complain(problem);
        }
    }

    async #addSeeds() {
        const box = h('textarea', { id: 'more-seeds', rows: 6, inputmode: 'url', autocapitalize: 'none', spellcheck: 'false', required: true, placeholder: 'https://docs.example.com/' });
        await formDialog('Add URLs', 'Add', [
            h('div', { class: 'field' }, h('label', { for: 'more-seeds' }, 'URLs'), box, h('p', { class: 'help' }, 'Separate multiple URLs with spaces or line breaks. They are fetched if the scope of the job has their hosts.')),
        ], async () => {
            const { added } = await send('POST', path`/jobs/${this.#id}/seeds`, { seeds: box.value.split(/\s+/).filter(Boolean) });
            notice(`${plural(added, 'URL')} added.`);
            await this.reload();
        });
    }

    async #editLabels() {
        const { labelFields, labelsOf, labelValues } = await import('./startform.js');
        const fields = labelFields(labelsOf(this.job));
        await formDialog('Name, tags and notes', 'Save', [fields], async () => {
            this.take(await send('PATCH', path`/jobs/${this.#id}`, labelValues(fields)));
        });
    }

    async #do(verb) {
        if (verb === 'stop' && !(await confirmed('Stop this crawl?', 'Requests in progress may finish. You can resume the crawl later.', 'Stop crawl'))) {
            return;
        }
        if (verb === 'delete' && !(await confirmed(`Delete ${this.job.name}?`, 'This also deletes its pages and files. It cannot be undone.', 'Delete job'))) {
            return;
        }
        const button = this.#buttons[verb] ?? this.#more.querySelector('summary');
        button.disabled = true;
        try {
            if (verb === 'delete') {
                await send('DELETE', path`/jobs/${this.#id}`);
                noticeInNextView(`Deleted ${this.job.name}.`);
                go([]);
            } else {
                this.take(await send('POST', path`/jobs/${this.#id}/${verb}`));
            }
        } catch (problem) {
            complain(problem);
        } finally {
            button.disabled = false;
            this.#keepFocus(button);
        }
    }

    /** Moves the focus to the heading if the pressed button is hidden now: otherwise keyboard focus would be lost. */
    #keepFocus(button) {
        if (button.hidden) {
            this.#name.tabIndex = -1;
            this.#name.focus();
        } else {
            button.focus();
        }
    }

    #tabs() {
        return h('nav', { class: 'tabs', 'aria-label': 'Job views' }, TABS.map(([part, name]) => {
            const tab = h('a', { href: link(['jobs', this.#id, part].filter(Boolean)) }, name);
            attribute(tab, 'aria-current', part === this.#tab ? 'page' : null);
            return tab;
        }));
    }
}
