// Failures: dead letters, which can be retried, and error responses.

import { get, path, send } from '../api.js';
import { h, replace } from '../dom.js';
import { count, plural } from '../format.js';
import { JobFrame } from '../jobframe.js';
import { complain, notice } from '../notices.js';
import { captureItem, emptyState, lagNote, loadInto, pager, panel, skeleton, table } from '../parts.js';
import { go, link } from '../router.js';
import { mayOperate } from '../session.js';

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
    const dead = h('div', {}, skeleton(4));
    const errors = h('div', {}, skeleton(4));
    const cause = h('select', { 'aria-label': 'Filter by cause' }, h('option', { value: '' }, 'All causes'), CAUSES.map((one) => h('option', { value: one }, one)));
    const again = h('button', { type: 'button' }, 'Retry all');
    replace(frame.body,
        panel('Dead letters', { id: 'dead', actions: [cause, mayOperate() && again] },
            h('p', { class: 'hint' }, 'URLs whose last attempt failed. A retry resets the number of attempts.'), dead),
        panel('Error responses', { id: 'error-responses' }, errors));
    const show = (query) => {
        cause.value = query.get('cause') ?? '';
        loadInto(dead, view.signal, () => deadLetters(id, query, retry, view.signal));
        loadInto(errors, view.signal, () => errorResponses(id, view.signal));
    };
    const retry = async (which) => {
        try {
            const { retried } = await send('POST', path`/jobs/${id}/dead-letters/retry`, which);
            notice(`${plural(retried, 'URL')} queued for retry.`);
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
        return emptyState('No dead letters', query.get('cause') ? 'No URL failed with this cause.' : 'Every requested URL got a response or still has attempts left.');
    }
    const at = (offset) => link(['jobs', id, 'failures'], { cause: query.get('cause'), offset: offset || '' });
    const rows = found.items.map((one) => [
        h('a', { href: link(['jobs', id, 'why'], { url: one.url }), dir: 'ltr' }, one.url), one.cause, count(one.attempts),
        mayOperate() && h('button', { type: 'button', class: 'small', on: { click: () => retry({ url: one.url }) } }, 'Retry'),
    ]);
    return [
        table('Dead letters', [{ name: 'URL', wide: true }, { name: 'Cause' }, { name: 'Attempts', number: true }, { name: mayOperate() ? 'Retry' : 'Actions' }], rows),
        pager({
            ...found, shown: found.items.length, noun: 'URL',
            previous: found.offset > 0 ? at(Math.max(0, found.offset - A_PAGE)) : null,
            next: found.offset + found.items.length < found.total ? at(found.offset + A_PAGE) : null,
        }),
    ];
}

async function errorResponses(id, signal) {
    const found = await get(path`/jobs/${id}/errors`, { limit: ERRORS_SHOWN }, signal);
    return found.items.length
        ? [lagNote(found.indexLag), h('ul', { class: 'captures' }, found.items.map((line) => captureItem(id, line))),
            h('p', { class: 'hint' }, h('a', { href: link(['jobs', id, 'pages'], { status: '4xx' }) }, 'All 4xx responses'), ' · ',
                h('a', { href: link(['jobs', id, 'pages'], { status: '5xx' }) }, 'All 5xx responses'))]
        : [lagNote(found.indexLag), emptyState('No errors', 'No response had an error status.')];
}
