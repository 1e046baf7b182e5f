// Explains why a URL was or was not fetched: each decision, from where the URL was found to the result.

import { get, path } from '../api.js';
import { h, outward, replace } from '../dom.js';
import { count, moment } from '../format.js';
import { JobFrame } from '../jobframe.js';
import { announce } from '../notices.js';
import { facts, loadInto, panel, skeleton, statusBadge, table } from '../parts.js';
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
        h('div', { class: 'field grow' }, h('label', { for: 'why-url' }, 'URL to explain'), box),
        h('button', { class: 'primary' }, 'Explain'));
    const result = h('div');
    form.addEventListener('submit', (event) => {
        event.preventDefault();
        go(['jobs', id, 'why'], { url: box.value.trim() });
    });
    replace(frame.body, form, result);
    const show = (query) => {
        const url = query.get('url') ?? '';
        box.value = url;
        if (!url) {
            replace(result, h('p', { class: 'hint' }, 'Enter a URL to see where it was found, which scope rule or robots.txt line applied, and the result of every attempt.'));
            return;
        }
        replace(result, skeleton(5));
        loadInto(result, view.signal, async () => {
            const explanation = await get(path`/jobs/${id}/why`, { url }, view.signal);
            announce(`${explanation.state}: ${explanation.reason}`);
            return explain(id, explanation);
        });
    };
    show(view.query);
    return show;
}

function explain(id, explanation) {
    return [
        panel('Decisions', { id: 'reasons' },
            h('p', { class: 'sentence' }, h('b', {}, explanation.state), explanation.reason ? `: ${explanation.reason}` : ''),
            h('ol', { class: 'reasons' }, (explanation.path ?? []).map(step))),
        attempts(id, explanation.attempts ?? []),
        panel('Details', { id: 'facts' }, facts([
            ['URL', outward(explanation.url)],
            ['normal form', explanation.normalForm !== explanation.url && h('code', {}, explanation.normalForm)],
            ['normalisation', explanation.steps?.length > 0 && explanation.steps.join('; ')],
            ['depth', Number.isFinite(explanation.depth) && count(explanation.depth)],
            ['scope', explanation.scope],
            ['found on', explanation.parent && found(id, explanation.parent)],
            ...robots(explanation.robots),
            ...Object.entries(explanation.queue ?? {}).map(([name, value]) => [`queue: ${name}`, typeof value === 'object' ? '' : String(value)]),
        ].map(([name, value]) => [name, value === false ? '' : value]))),
    ];
}

function step({ title, text, ok }) {
    return h('li', { class: ok ? 'reason-ok' : 'reason-stop' },
        h('b', {}, title), h('span', { class: 'unseen' }, ok ? ' (passed): ' : ' (stopped here): '), h('span', { class: 'reason-text', dir: 'auto' }, text));
}

function found(id, parent) {
    const place = parent.seq ? h('a', { href: link(['jobs', id, 'pages', parent.seq]) }, parent.url) : outward(parent.url);
    return h('span', {}, place, parent.linkType ? ` as ${parent.linkType}` : '', parent.anchor ? ` “${parent.anchor}”` : '');
}

function robots(file) {
    if (!file) {
        return [];
    }
    return [
        ['robots.txt', file.file && outward(file.file)],
        ['robots.txt result', [file.statusText, file.text && `line ${file.line}: ${file.text}`].filter(Boolean).join(', ')],
        ['robots.txt fetched', moment(file.fetchedAt)],
    ];
}

function attempts(id, list) {
    if (list.length === 0) {
        return null;
    }
    return panel('Attempts', { id: 'attempts' }, table('Attempts', [{ name: 'Time' }, { name: 'Outcome' }, { name: 'Status' }, { name: 'Detail', wide: true }],
        list.map((one) => [
            moment(one.time),
            one.seq ? h('a', { href: link(['jobs', id, 'pages', one.seq]) }, one.outcome) : one.outcome,
            statusBadge({ ...one, kind: one.outcome }),
            [one.cause, one.detail].filter(Boolean).join(': '),
        ])));
}
