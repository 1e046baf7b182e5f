// Why was, or was not, a URL fetched: the reasons as a path from where it was found to what came of it.

import { get, path } from '../api.js';
import { h, outward, replace } from '../dom.js';
import { count, moment } from '../format.js';
import { JobFrame } from '../jobframe.js';
import { announce } from '../notices.js';
import { facts, loading, loadInto, panel, statusBadge, table } from '../parts.js';
import { go, link } from '../router.js';

export async function why(view) {
    const frame = new JobFrame(view, 'why');
    if (!(await frame.open())) {
        return null;
    }
    const id = view.params.id;
    const box = h('input', { id: 'why-url', type: 'text', inputmode: 'url', autocomplete: 'off', autocapitalize: 'none', spellcheck: 'false', required: true,
        placeholder: `${frame.job.seeds[0] ?? 'https://example.com/'}` });
    const form = h('form', { class: 'panel start-row' },
        h('div', { class: 'field grow' }, h('label', { for: 'why-url' }, 'What became of this URL?'), box),
        h('button', { class: 'primary' }, 'Explain'));
    const answer = h('div');
    form.addEventListener('submit', (event) => {
        event.preventDefault();
        go(['jobs', id, 'why'], { url: box.value.trim() });
    });
    replace(frame.body, form, answer);
    const show = (query) => {
        const url = query.get('url') ?? '';
        box.value = url;
        if (!url) {
            replace(answer, h('p', { class: 'hint' }, 'Paste a URL: whether it was found, where, which rule of the scope or line of robots.txt decided, and what every try came to.'));
            return;
        }
        replace(answer, loading());
        loadInto(answer, view.signal, async () => {
            const account = await get(path`/jobs/${id}/why`, { url }, view.signal);
            announce(`${account.state}: ${account.reason}`);
            return explain(id, account);
        });
    };
    show(view.query);
    return show;
}

function explain(id, account) {
    return [
        panel('Reasons', { id: 'reasons' },
            h('p', { class: 'sentence' }, h('b', {}, account.state), account.reason ? `: ${account.reason}` : ''),
            h('ol', { class: 'reasons' }, (account.path ?? []).map(step))),
        attempts(id, account.attempts ?? []),
        panel('Facts', { id: 'facts' }, facts([
            ['URL', outward(account.url)],
            ['normal form', account.normalForm !== account.url && h('code', {}, account.normalForm)],
            ['spelling', account.steps?.length > 0 && account.steps.join('; ')],
            ['depth', Number.isFinite(account.depth) && count(account.depth)],
            ['scope', account.scope],
            ['found on', account.parent && found(id, account.parent)],
            ...robots(account.robots),
            ...Object.entries(account.queue ?? {}).map(([name, value]) => [`queue: ${name}`, typeof value === 'object' ? '' : String(value)]),
        ].map(([name, value]) => [name, value === false ? '' : value]))),
    ];
}

function step({ title, text, ok }) {
    return h('li', { class: ok ? 'reason-ok' : 'reason-stop' },
        h('b', {}, title), h('span', { class: 'unseen' }, ok ? ' (passed): ' : ' (ended here): '), h('span', { class: 'reason-text', dir: 'auto' }, text));
}

function found(id, parent) {
    const place = parent.seq ? h('a', { href: link(['jobs', id, 'pages', parent.seq]) }, parent.url) : outward(parent.url);
    return h('span', {}, place, parent.linkType ? ` as ${parent.linkType}` : '', parent.anchor ? ` “${parent.anchor}”` : '');
}

function robots(said) {
    if (!said) {
        return [];
    }
    return [
        ['robots.txt', said.file && outward(said.file)],
        ['it said', [said.statusText, said.text && `line ${said.line}: ${said.text}`].filter(Boolean).join(', ')],
        ['asked', moment(said.fetchedAt)],
    ];
}

function attempts(id, tries) {
    if (tries.length === 0) {
        return null;
    }
    return panel('Tries', { id: 'tries' }, table('Tries', [{ name: 'Time' }, { name: 'Outcome' }, { name: 'Status' }, { name: 'Detail', wide: true }],
        tries.map((one) => [
            moment(one.time),
            one.seq ? h('a', { href: link(['jobs', id, 'pages', one.seq]) }, one.outcome) : one.outcome,
            statusBadge({ ...one, kind: one.outcome }),
            [one.cause, one.detail].filter(Boolean).join(': '),
        ])));
}
