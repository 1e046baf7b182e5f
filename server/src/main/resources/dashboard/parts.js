// Components shared by several views.

import { attribute, h, replace, setText } from './dom.js';
import { clock, count, duration, moment, plural } from './format.js';
import { link } from './router.js';
import { JOB_STATES, outcome, statusWord } from './words.js';

/** The state of a job as a badge. */
export function stateBadge(state) {
    return h('span', { class: `badge state-${state}`, title: JOB_STATES[state] ?? '' }, state);
}

/** The tags of a job; each lists the jobs that have it. */
export function tagLinks(tags) {
    return (tags ?? []).map((tag) => h('a', { class: 'tag', dir: 'auto', href: link([], { tag }) }, tag));
}

/** The status of a capture as a badge. */
export function statusBadge(line) {
    return h('span', { class: `status outcome-${outcome(line)}`, title: line.detail || line.cause || line.kind || '' },
        statusWord(line));
}

/** A section of a view with a heading. */
export function panel(title, { id, actions = [], className = '' } = {}, ...children) {
    const heading = h('h2', { id }, title);
    return h('section', { class: `panel ${className}`, 'aria-labelledby': id },
        actions.length ? h('div', { class: 'panel-head' }, heading, h('div', { class: 'actions' }, ...actions)) : heading,
        ...children);
}

/** The placeholder of an empty list: a title and a hint. */
export function emptyState(title, sentence) {
    return h('div', { class: 'empty' }, h('p', { class: 'empty-title' }, title), h('p', {}, sentence));
}

/** The placeholder of a list that is loading: grey lines in its place. */
export function skeleton(lines = 5) {
    return h('div', { class: 'loading skeleton', role: 'status' }, h('span', { class: 'unseen' }, 'Loading…'),
        Array.from({ length: lines }, () => h('span', { class: 'bone' })));
}

/** Says that a list misses the latest lines, because the index that it comes from is behind the crawl. */
export function lagNote(lag, least = 1) {
    return lag >= least && h('p', { class: 'hint lag' }, `The latest ${plural(lag, 'response is', 'responses are')} not in this list yet: the search index is behind the crawl.`);
}

/** The error message in place of content that could not be loaded. */
export function failure(problem) {
    return h('p', { class: 'failure', role: 'alert' }, problem.message);
}

/** The view of something that does not exist, with the way back. */
export function missing(heading, sentence) {
    return h('section', { class: 'missing', role: 'alert' },
        h('h1', {}, heading),
        h('p', {}, sentence),
        h('p', {}, h('a', { class: 'button', href: '#/' }, 'All jobs')));
}

/** The number of the latest load of each element. */
const loads = new WeakMap();

/**
 * Shows the result of `work`, or its error. If several loads overlap, the latest one is shown, in whichever order they
 * finish; a view that was left shows nothing.
 */
export async function loadInto(place, signal, work) {
    const load = (loads.get(place) ?? 0) + 1;
    loads.set(place, load);
    attribute(place, 'aria-busy', 'true');
    let shown;
    try {
        shown = await work();
    } catch (problem) {
        shown = problem.status === 401 ? null : failure(problem);
    }
    if (loads.get(place) === load && !signal.aborted) {
        replace(place, shown);
        attribute(place, 'aria-busy', null);
    }
}

/**
 * A table. On a phone its rows become cards with the column name before each value; the table head remains in the DOM
 * for screen readers.
 *
 * @param {string} caption the name of the table
 * @param {Array<{name: string, number?: boolean, wide?: boolean}>} columns
 * @param {Array<any[]>} rows cells, as nodes or text
 */
export function table(caption, columns, rows) {
    const classes = columns.map((column) => [column.number && 'number', column.wide && 'wide'].filter(Boolean).join(' ') || null);
    return h('div', { class: 'table-frame' },
        h('table', {},
            h('caption', { class: 'unseen' }, caption),
            h('thead', {}, h('tr', {}, columns.map((column, index) => h('th', { scope: 'col', class: classes[index] }, column.name)))),
            h('tbody', {}, rows.map((cells) => h('tr', {}, cells.map((cell, index) =>
                h('td', { class: classes[index], 'data-label': columns[index].name }, cell)))))));
}

/** A list of names and values; empty values are left out. */
export function facts(pairs) {
    const shown = pairs.filter(([, value]) => value !== null && value !== undefined && value !== '');
    return h('dl', { class: 'facts' }, shown.map(([name, value]) => [h('dt', {}, name), h('dd', {}, value)]));
}

/** A time element with a machine-readable value. */
export function timeOf(time, shown = clock(time)) {
    return time ? h('time', { datetime: time, title: moment(time) }, shown) : '';
}

/** One capture in a list: status, title or URL, time and duration. */
export function captureItem(jobId, line) {
    return h('li', { class: 'capture' },
        statusBadge(line),
        h('a', { href: link(['jobs', jobId, 'pages', line.seq]), class: 'capture-title', dir: 'auto' }, line.title || line.url),
        h('span', { class: 'capture-url', dir: 'ltr' }, line.title ? line.url : line.detail || line.location || ''),
        h('span', { class: 'capture-figures' }, timeOf(line.time), ' · ', duration(line.ms)));
}

/**
 * The pager of a long list.
 *
 * @param {{offset: number, limit: number, total: number, shown: number, noun: string,
 *     previous: string|null, next: string|null}} state links to the previous and next list page, if any
 */
export function pager(state) {
    const end = state.offset + state.shown;
    const range = state.shown < state.total
        ? `${count(state.offset + 1)} to ${count(end)} of ${plural(state.total, state.noun)}`
        : plural(state.total, state.noun);
    const step = (label, address) =>
        address
            ? h('a', { class: 'button', href: address }, label)
            : h('span', { class: 'button', 'aria-disabled': 'true' }, label);
    const steps = state.previous || state.next
        ? [step('Previous', state.previous), step('Next', state.next)]
        : [];
    return h('nav', { class: 'pager', 'aria-label': 'Pagination' }, h('span', {}, range), h('span', { class: 'actions' }, steps));
}

/** Asks for confirmation. Escape, or a click outside the dialog, cancels. */
export function confirmed(question, explanation, yes) {
    return new Promise((resolve) => {
        const dialog = h('dialog', { 'aria-labelledby': 'confirm-title' },
            h('form', { method: 'dialog' },
                h('h2', { id: 'confirm-title' }, question),
                h('p', {}, explanation),
                h('div', { class: 'actions' },
                    h('button', { value: 'no' }, 'Cancel'),
                    h('button', { value: 'yes', class: 'danger' }, yes))));
        dialog.addEventListener('click', (event) => event.target === dialog && dialog.close('no'));
        dialog.addEventListener('close', () => {
            dialog.remove();
            resolve(dialog.returnValue === 'yes');
        });
        document.body.append(dialog);
        dialog.showModal();
    });
}

/**
 * Shows a form in a dialog. An error of `submit` is shown in it, and it stays open.
 *
 * @param {any[]} fields the elements of the form
 * @param {function(): Promise<void>} submit sends the form
 */
export function formDialog(title, yes, fields, submit) {
    return new Promise((resolve) => {
        const problem = h('p', { class: 'field-problem', role: 'alert', hidden: true });
        const button = h('button', { class: 'primary' }, yes);
        const form = h('form', { novalidate: true },
            h('h2', { id: 'form-dialog-title' }, title), fields, problem,
            h('div', { class: 'actions' }, h('button', { type: 'button', on: { click: () => dialog.close() } }, 'Cancel'), button));
        const dialog = h('dialog', { class: 'form-dialog', 'aria-labelledby': 'form-dialog-title' }, form);
        form.addEventListener('submit', async (event) => {
            event.preventDefault();
            button.disabled = true;
            problem.hidden = true;
            try {
                await submit();
                dialog.close();
            } catch (found) {
                setText(problem, found.message);
                problem.hidden = false;
            } finally {
                button.disabled = false;
            }
        });
        dialog.addEventListener('close', () => {
            dialog.remove();
            resolve();
        });
        document.body.append(dialog);
        dialog.showModal();
    });
}

/** A menu under a button; Escape, or moving the focus elsewhere, closes it. */
export function menu(label, fillWith) {
    const list = h('ul', { class: 'menu-list' });
    const shell = h('details', { class: 'menu' }, h('summary', { class: 'button' }, label), list);
    shell.addEventListener('toggle', () => shell.open && fillWith(list));
    shell.addEventListener('keydown', (event) => {
        if (event.key === 'Escape' && shell.open) {
            shell.open = false;
            shell.querySelector('summary').focus();
        }
    });
    shell.addEventListener('focusout', (event) => {
        if (event.relatedTarget && !shell.contains(event.relatedTarget)) {
            shell.open = false;
        }
    });
    return shell;
}

/** Copies text to the clipboard; on an insecure origin with the deprecated `execCommand`. */
export async function copy(text) {
    if (navigator.clipboard) {
        await navigator.clipboard.writeText(text);
        return;
    }
    const area = h('textarea', { class: 'unseen', readonly: true });
    area.value = text;
    document.body.append(area);
    area.select();
    const done = document.execCommand('copy');
    area.remove();
    if (!done) {
        throw new Error('The browser does not allow copying. Download the file instead.');
    }
}
