// The frame shared by all views of a job: name and state, actions, tabs, and the event stream.

import { address, get, path, send, text } from './api.js';
import { attribute, h, outward, replace, setText } from './dom.js';
import { follow } from './events.js';
import { count, duration, plural } from './format.js';
import { announce, complain, notice, noticeInNextView } from './notices.js';
import { confirmed, copy, failure, loading, menu, missing, stateBadge } from './parts.js';
import { go, link } from './router.js';
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
            this.#tabs(),
            this.body);
        replace(this.body, loading());
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

    #drawSeeds(job) {
        const shown = job.seeds.slice(0, SEEDS_SHOWN).map((seed, index) => [index > 0 && ', ', outward(seed)]);
        const more = (job.seedsTotal ?? job.seeds.length) - SEEDS_SHOWN;
        replace(this.#seeds, shown, more > 0 && ` and ${more} more`, job.preset && ` · preset ${job.preset}`);
    }

    #offer(job) {
        const possible = {
            pause: isActive(job), resume: isResumable(job), stop: isActive(job) || job.state === 'paused', delete: true,
        };
        Object.entries(this.#buttons).forEach(([verb, button]) => {
            button.hidden = !possible[verb];
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
            menu('Export', (list) => this.#exports(list)),
            button('delete', 'Delete', 'danger'),
        ];
    }

    async #do(verb) {
        if (verb === 'stop' && !(await confirmed('Stop this crawl?', 'Requests in progress may finish. You can resume the crawl later.', 'Stop crawl'))) {
            return;
        }
        if (verb === 'delete' && !(await confirmed(`Delete ${this.job.name}?`, 'This also deletes its pages and files. It cannot be undone.', 'Delete job'))) {
            return;
        }
        const button = this.#buttons[verb];
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

    async #exports(list) {
        if (list.children.length) {
            return;
        }
        try {
            const found = await get(path`/jobs/${this.#id}/exports`, {}, this.#signal);
            const formats = found.items ?? found;
            replace(list,
                h('li', {}, h('button', { type: 'button', class: 'menu-item', on: { click: () => this.#copyAll() } },
                    h('b', {}, 'Copy Markdown'), h('span', { class: 'muted' }, 'of all pages, to the clipboard'))),
                formats.map((one) => h('li', {},
                    h('a', { class: 'menu-item', href: address(path`/jobs/${this.#id}/exports/${one.format}`), download: one.file },
                        h('b', {}, one.format), h('span', { class: 'muted' }, one.description)))));
        } catch (problem) {
            complain(problem);
        }
    }

    async #copyAll() {
        try {
            await copy(await text(path`/jobs/${this.#id}/exports/${'markdown'}`, {}, this.#signal));
            notice('Copied the Markdown of all pages to the clipboard.');
        } catch (problem) {
            complain(problem);
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
