// What has changed between two jobs: new, gone and changed pages, with the changed text.

import { get, path } from '../api.js';
import { h, outward, replace, setText } from '../dom.js';
import { count, moment, plural, short } from '../format.js';
import { JobFrame } from '../jobframe.js';
import { repeat } from '../pace.js';
import { emptyState, failure, panel, skeleton } from '../parts.js';
import { go, link } from '../router.js';
import { isActive } from '../words.js';

const POLL_MS = 700;

/** The number of jobs that can be chosen, and of changes that are shown at once. */
const JOBS_MAX = 200;
const SHOWN_MAX = 100;

const KINDS = { new: ['new', 'outcome-good'], gone: ['gone', 'outcome-bad'], changed: ['changed', 'outcome-moved'] };

export async function compare(view) {
    const frame = new JobFrame(view, 'compare');
    let query = view.query;
    let show = () => {};
    if (!(await frame.open({ changed: () => show(query) }))) {
        return null;
    }
    const { id } = view.params;
    const choice = h('select', { id: 'with' }, h('option', { value: '' }, 'Choose a job'));
    const result = h('div', {}, skeleton(6));
    replace(frame.body,
        h('div', { class: 'panel start-row' },
            h('div', { class: 'field grow' }, h('label', { for: 'with' }, 'Compare with the earlier job'), choice)),
        result);
    let others;
    try {
        others = (await get('/jobs', { limit: JOBS_MAX }, view.signal)).items.filter((job) => String(job.id) !== id && job.started && !isActive(job));
    } catch (problem) {
        replace(result, failure(problem));
        return null;
    }
    const seeds = frame.job.seeds.join(' ');
    const isSame = (job) => job.seeds.join(' ') === seeds;
    choice.append(...[...others.filter(isSame), ...others.filter((job) => !isSame(job))].map((job) =>
        h('option', { value: job.id }, `#${job.id} ${job.name}, ${moment(job.started)}, ${plural(job.counts.pages, 'page')}${isSame(job) ? ', same seeds' : ''}`)));
    choice.addEventListener('change', () => go(['jobs', id, 'compare'], { with: choice.value }));
    let round = new AbortController();
    show = (next) => {
        query = next;
        round.abort();
        round = new AbortController();
        if (isActive(frame.job)) {
            replace(result, emptyState('The crawl is running', 'A job can be compared when it has ended or is paused.'));
            return;
        }
        const previous = others.filter(isSame).find((job) => job.id < Number(id));
        choice.value = next.get('with') ?? previous?.id ?? '';
        if (!choice.value) {
            replace(result, others.length ? emptyState('Choose a job', 'Pages that are new, gone or have another text are listed here.')
                : emptyState('No other job', 'A job can be compared with another one that is paused or has ended.'));
            return;
        }
        load(id, choice.value, result, AbortSignal.any([view.signal, round.signal]), () => round.abort());
    };
    show(view.query);
    return show;
}

/** Loads the differences; while the service computes them, asks again. */
function load(id, other, place, signal, done) {
    replace(place, skeleton(6));
    const waiting = h('div', { class: 'panel computing', role: 'status' }, h('p', {}, 'Comparing the jobs…'), h('progress', { 'aria-label': 'Comparing' }));
    return repeat(signal, async () => {
        try {
            const found = await get(path`/jobs/${id}/diff`, { with: other }, signal);
            if (signal.aborted) {
                return 0;
            }
            if (found.state === 'computing') {
                if (!waiting.isConnected) {
                    replace(place, waiting);
                }
                return POLL_MS;
            }
            replace(place, draw(found));
        } catch (problem) {
            if (!signal.aborted && problem.status !== 401) {
                replace(place, failure(problem));
            }
        }
        done();
        return 0;
    });
}

function draw(found) {
    const { counts, items } = found;
    const tile = (number, name, help) => h('div', { class: 'tile', title: help }, h('dt', {}, name), h('dd', {}, short(number)));
    const total = counts.added + counts.gone + counts.changed;
    const kind = h('select', { 'aria-label': 'Filter by kind of change' }, h('option', { value: '' }, 'All changes'),
        Object.keys(KINDS).map((name) => h('option', { value: name }, KINDS[name][0])));
    const list = h('ul', { class: 'changes' });
    const note = h('p', { class: 'hint' });
    const fill = () => {
        const fitting = items.filter((one) => !kind.value || one.kind === kind.value);
        replace(list, fitting.slice(0, SHOWN_MAX).map((one) => change(found, one)));
        setText(note, fitting.length > SHOWN_MAX || total > items.length
            ? `The first ${count(Math.min(SHOWN_MAX, fitting.length))} of ${plural(kind.value ? fitting.length : total, 'change')}. “orbweaver diff” lists all.` : '');
    };
    kind.addEventListener('change', fill);
    fill();
    return [
        h('dl', { class: 'tiles' },
            tile(counts.added, 'new pages'), tile(counts.gone, 'pages gone'), tile(counts.changed, 'pages with another text'),
            tile(counts.same, 'pages with the same text', `${count(counts.markup)} of them have other bytes, such as another theme or date`)),
        panel('Changes', { id: 'changes', actions: [kind] }, total === 0 ? h('p', { class: 'good-news' }, 'Both jobs have the same pages with the same text.') : [list, note]),
    ];
}

function change(found, one) {
    const [name, className] = KINDS[one.kind];
    const lines = [...(one.removed ?? []).map((text) => ['removed', '−', text]), ...(one.added ?? []).map((text) => ['added', '+', text])];
    return h('li', {},
        h('div', { class: 'change-head' },
            h('span', { class: `status ${className}` }, name),
            h('b', { dir: 'auto' }, one.title || one.url),
            h('span', { class: 'actions' },
                one.before && h('a', { href: link(['jobs', found.before, 'pages', one.before.seq]) }, 'before'),
                one.after && h('a', { href: link(['jobs', found.after, 'pages', one.after.seq]) }, 'after'))),
        h('p', { class: 'capture-url', dir: 'ltr' }, outward(one.url)),
        lines.length > 0 && h('details', { class: 'fold' }, h('summary', {}, plural(lines.length, 'changed line')),
            h('ul', { class: 'lines' }, lines.map(([kind, sign, text]) =>
                h('li', { class: `line-${kind}` }, h('span', { 'aria-hidden': 'true' }, sign), h('span', { class: 'unseen' }, `${kind}: `), h('span', { dir: 'auto' }, text)))),
            one['lines-omitted'] > 0 && h('p', { class: 'hint' }, `and ${plural(one['lines-omitted'], 'more line', 'more lines')}`)),
        one.unreadable && h('p', { class: 'hint' }, 'The text of one of the captures could not be read.'));
}
