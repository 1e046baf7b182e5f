// The menu of exports. An export is made in the background; the menu shows its progress and then the link to its file.

import { address, get, path, send, text } from './api.js';
import { attribute, h, replace, setText } from './dom.js';
import { bytes, percent } from './format.js';
import { announce, complain, notice } from './notices.js';
import { repeat } from './pace.js';
import { copy, menu } from './parts.js';
import { mayOperate } from './session.js';

const POLL_MS = 700;

/** The largest Markdown document that is copied to the clipboard. */
const COPY_BYTES_MAX = 20_000_000;

/** The jobs with exports that this tab has started and that have not ended. */
const unfinished = new Set();

export class ExportMenu {
    #id;
    #route;
    #signal;
    #rows = new Map();
    #tasks = h('ul', { class: 'export-tasks', 'aria-label': 'Exports' });
    #share = h('span', { class: 'export-share' });
    #isWatching = false;

    constructor(jobId, signal) {
        this.#id = jobId;
        this.#route = path`/jobs/${jobId}/exports`;
        this.#signal = signal;
        this.element = menu(['Export', this.#share], (list) => this.#open(list));
        if (unfinished.has(jobId)) {
            this.#watch();
        }
    }

    async #open(list) {
        try {
            const found = await get(this.#route, {}, this.#signal);
            if (list.children.length === 0) {
                replace(list, h('li', {}, this.#tasks), found.items.map((format) => h('li', {}, this.#format(format))));
            }
            this.#draw(found.tasks);
            if (found.tasks.some(isUnfinished)) {
                this.#watch();
            }
        } catch (problem) {
            complain(problem);
        }
    }

    /** A viewer may not start tasks; its export is made while the browser waits. */
    #format(one) {
        const label = [h('b', {}, one.format), h('span', { class: 'muted' }, one.description)];
        return mayOperate()
            ? h('button', { type: 'button', class: 'menu-item', on: { click: () => this.#start(one.format) } }, label)
            : h('a', { class: 'menu-item', href: address(`${this.#route}/${encodeURIComponent(one.format)}`), download: one.file }, label);
    }

    async #start(format) {
        try {
            const task = await send('POST', this.#route, { format });
            unfinished.add(this.#id);
            this.#draw([...[...this.#rows.values()].map((row) => row.task), task]);
            announce(`Export of ${task.file} started.`);
            this.#watch();
        } catch (problem) {
            complain(problem);
        }
    }

    /** Follows the tasks until all have ended. */
    #watch() {
        if (this.#isWatching) {
            return;
        }
        this.#isWatching = true;
        const ended = new AbortController();
        repeat(AbortSignal.any([this.#signal, ended.signal]), async () => {
            try {
                const { tasks } = await get(this.#route, {}, this.#signal);
                this.#draw(tasks);
                if (!tasks.some(isUnfinished)) {
                    unfinished.delete(this.#id);
                    this.#isWatching = false;
                    ended.abort();
                }
            } catch (problem) {
                if (problem.status === 404) { // The job was deleted.
                    ended.abort();
                } else {
                    complain(problem);
                }
            }
            return POLL_MS;
        });
    }

    /** Draws the tasks, the newest first. */
    #draw(tasks) {
        const ids = new Set(tasks.map((task) => task.id));
        [...this.#rows].filter(([id]) => !ids.has(id)).forEach(([id, row]) => {
            row.element.remove();
            this.#rows.delete(id);
        });
        tasks.forEach((task) => {
            const row = this.#rows.get(task.id) ?? new TaskRow(`${this.#route}/tasks/${task.id}`, (id) => this.#removed(id));
            const wasUnfinished = row.task && isUnfinished(row.task);
            row.draw(task);
            if (!this.#rows.has(task.id)) {
                this.#rows.set(task.id, row);
                this.#tasks.prepend(row.element);
            }
            if (wasUnfinished && !isUnfinished(task)) {
                this.#tell(task);
            }
        });
        const running = tasks.filter(isUnfinished);
        const share = running.reduce((sum, task) => sum + task.progress, 0) / Math.max(1, running.length);
        setText(this.#share, running.length ? percent(share) : '');
    }

    /** Takes a removed task out of the list; the focus returns to the menu. */
    #removed(id) {
        this.#draw([...this.#rows.values()].map((row) => row.task).filter((task) => task.id !== id));
        this.element.querySelector('summary').focus();
    }

    #tell(task) {
        if (task.state === 'failed') {
            complain(new Error(`${task.file}: ${task.problem}`));
        } else if (!this.element.open) {
            notice(`${task.file} is ready, ${bytes(task.bytes)}.`, h('a', { href: address(`${this.#route}/tasks/${task.id}/file`), download: task.file }, 'Download'));
        } else {
            announce(`${task.file} is ready.`);
        }
    }
}

function isUnfinished(task) {
    return task.state === 'queued' || task.state === 'running';
}

/** One export. Its elements are reused, which keeps the focus while the progress changes. */
class TaskRow {
    task = null;
    #route;
    #state = h('span', { class: 'muted' });
    #bar = h('progress', { max: 1 });
    #actions = h('span', { class: 'actions' });
    #remove;

    constructor(route, removed) {
        this.#route = route;
        this.#remove = h('button', { type: 'button', class: 'small', hidden: !mayOperate(), on: { click: () => this.#delete(removed) } });
        this.element = h('li', { class: 'export-task' });
    }

    draw(task) {
        const isChanged = this.task?.state !== task.state;
        this.task = task;
        const runs = isUnfinished(task);
        this.#bar.hidden = !runs;
        this.#bar.value = task.progress;
        setText(this.#state, task.state === 'ready' ? bytes(task.bytes) : task.state === 'failed' ? task.problem : task.state === 'queued' ? 'waiting' : percent(task.progress));
        if (!isChanged) {
            return;
        }
        attribute(this.#bar, 'aria-label', `Progress of ${task.file}`);
        setText(this.#remove, runs ? 'Cancel' : 'Remove');
        attribute(this.#remove, 'aria-label', `${runs ? 'Cancel' : 'Remove'} ${task.file}`);
        const hadFocus = this.#remove === document.activeElement;
        const link = h('a', { class: 'button small', href: address(`${this.#route}/file`), download: task.file }, 'Download');
        replace(this.#actions,
            task.state === 'ready' && link,
            task.state === 'ready' && task.format === 'markdown' && task.bytes <= COPY_BYTES_MAX
                && h('button', { type: 'button', class: 'small', on: { click: () => this.#copy() } }, 'Copy'),
            this.#remove);
        replace(this.element, h('b', {}, task.file), this.#state, this.#bar, this.#actions);
        if (hadFocus && task.state === 'ready') {
            link.focus();
        }
    }

    async #copy() {
        try {
            await copy(await text(`${this.#route}/file`));
            notice('Copied the Markdown of all pages to the clipboard.');
        } catch (problem) {
            complain(problem);
        }
    }

    async #delete(removed) {
        this.#remove.disabled = true;
        try {
            await send('DELETE', this.#route);
            removed(this.task.id);
        } catch (problem) {
            this.#remove.disabled = false;
            complain(problem);
        }
    }
}
