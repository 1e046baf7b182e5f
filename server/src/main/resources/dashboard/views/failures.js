// What failed: answers that were errors, and the URLs that were given up, which can be tried again.

import { get, path, send } from '../api.js';
import { h, replace } from '../dom.js';
import { count, plural } from '../format.js';
import { JobFrame } from '../jobframe.js';
import { complain, notice } from '../notices.js';
import { captureItem, emptyState, loading, loadInto, pager, panel, table } from '../parts.js';
import { go, link } from '../router.js';

const A_PAGE = 50;
const ERRORS_SHOWN = 50;

const CAUSES = ['connect', 'disconnect', 'dns', 'host-down', 'internal', 'limit', 'malformed', 'parse', 'poison', 'redirect-loop',
    'server-error', 'timeout', 'tls', 'trap'];

export async function failures(view) {
    const frame = new JobFrame(view, 'failures');
    if (!(await frame.open())) {
        return null;
    }
    const id = view.params.id;
    const dead = h('div', {}, loading());
    const errors = h('div', {}, loading());
    const cause = h('select', { 'aria-label': 'Given up because of' }, h('option', { value: '' }, 'any cause'), CAUSES.map((one) => h('option', { value: one }, one)));
    const again = h('button', { type: 'button' }, 'Try all of these again');
    replace(frame.body,
        panel('Given up', { id: 'dead', actions: [cause, again] },
            h('p', { class: 'hint' }, 'URLs that failed after the last try. To try one again gives it all its tries anew.'), dead),
        panel('Answers that were errors', { id: 'error-answers' }, errors));
    const show = (query) => {
        cause.value = query.get('cause') ?? '';
        loadInto(dead, view.signal, () => deadLetters(id, query, retry, view.signal));
        loadInto(errors, view.signal, () => errorAnswers(id, view.signal));
    };
    const retry = async (which) => {
        try {
            const { retried } = await send('POST', path`/jobs/${id}/dead-letters/retry`, which);
            notice(`${plural(retried, 'URL')} will be tried again.`);
            show(new URLSearchParams(cause.value ? { cause: cause.value } : {}));
        } catch (problem) {
            complain(problem);
        }
    };
    cause.addEventListener('change', () => go(['jobs', id, 'failures'], { cause: cause.value }));
    again.addEventListener('click', () => retry(cause.value ? { cause: cause.value } : {}));
    show(view.query);
    return show;
}

async function deadLetters(id, query, retry, signal) {
    const found = await get(path`/jobs/${id}/dead-letters`, { cause: query.get('cause'), offset: query.get('offset'), limit: A_PAGE }, signal);
    if (found.items.length === 0) {
        return emptyState('Nothing was given up.', query.get('cause') ? 'Not for this cause.' : 'Every URL that was asked for got an answer, or still has tries left.');
    }
    const at = (offset) => link(['jobs', id, 'failures'], { cause: query.get('cause'), offset: offset || '' });
    const rows = found.items.map((one) => [
        h('a', { href: link(['jobs', id, 'why'], { url: one.url }), dir: 'ltr' }, one.url), one.cause, count(one.tries),
        h('button', { type: 'button', class: 'small', on: { click: () => retry({ url: one.url }) } }, 'Try again'),
    ]);
    return [
        table('URLs given up', [{ name: 'URL', wide: true }, { name: 'Cause' }, { name: 'Tries', number: true }, { name: '' }], rows),
        pager({
            ...found, shown: found.items.length, noun: 'URL',
            previous: found.offset > 0 ? at(Math.max(0, found.offset - A_PAGE)) : null,
            next: found.offset + found.items.length < found.total ? at(found.offset + A_PAGE) : null,
        }),
    ];
}

async function errorAnswers(id, signal) {
    const found = await get(path`/jobs/${id}/errors`, { limit: ERRORS_SHOWN }, signal);
    return found.items.length
        ? [h('ul', { class: 'captures' }, found.items.map((line) => captureItem(id, line))),
            h('p', { class: 'hint' }, h('a', { href: link(['jobs', id, 'pages'], { status: '4xx' }) }, 'All answers of status 4xx'), ' · ',
                h('a', { href: link(['jobs', id, 'pages'], { status: '5xx' }) }, 'all of 5xx'))]
        : emptyState('No errors.', 'Every answer so far was a good one.');
}
