// One capture: its text, headers, and links in and out.

import { address, get, path, text } from '../api.js';
import { attribute, h, outward, replace } from '../dom.js';
import { bytes, count, duration, moment, plural } from '../format.js';
import { JobFrame } from '../jobframe.js';
import { render } from '../markdown.js';
import { complain, notice } from '../notices.js';
import { copy, emptyState, facts, failure, loading, loadInto, statusBadge, table } from '../parts.js';
import { link } from '../router.js';

const SECTIONS = [
    ['text', 'Text', readText],
    ['markdown', 'Markdown', readSource],
    ['headers', 'Headers', headers],
    ['out', 'Links out', linksOut],
    ['in', 'Links in', linksIn],
];

export async function page(view) {
    const frame = new JobFrame(view, 'pages');
    if (!(await frame.open())) {
        return null;
    }
    const place = { jobId: view.params.id, seq: view.params.seq, signal: view.signal };
    let found;
    try {
        found = await get(path`/jobs/${place.jobId}/pages/${place.seq}`, {}, place.signal);
    } catch (problem) {
        replace(frame.body, failure(problem));
        return null;
    }
    const markdown = once(() => text(path`/jobs/${place.jobId}/pages/${place.seq}/markdown`, {}, place.signal));
    const tabs = h('nav', { class: 'tabs tabs-small', 'aria-label': 'Parts of this page' });
    const body = h('div', { class: 'page-body' });
    replace(frame.body, h('article', { class: 'page' }, head(place, found, markdown), facts(about(place, found)), tabs, body));
    const show = (query) => {
        const wanted = SECTIONS.find(([name]) => name === query.get('show')) ?? SECTIONS[0];
        replace(tabs, SECTIONS.map(([name, label]) => tab(place, name, label, name === wanted[0])));
        replace(body, loading());
        loadInto(body, place.signal, () => wanted[2](place, found, markdown));
    };
    show(view.query);
    return show;
}

/** Loads something when it is first wanted, and once; a failure is tried again. */
function once(load) {
    let loaded = null;
    return async () => {
        loaded ??= load();
        try {
            return await loaded;
        } catch (problem) {
            loaded = null;
            throw problem;
        }
    };
}

function tab(place, name, label, isCurrent) {
    const shown = h('a', { href: link(['jobs', place.jobId, 'pages', place.seq], { show: name === 'text' ? '' : name }) }, label);
    attribute(shown, 'aria-current', isCurrent ? 'true' : null);
    return shown;
}

function head(place, found, markdown) {
    const copying = h('button', { type: 'button' }, 'Copy Markdown');
    copying.addEventListener('click', async () => {
        try {
            await copy(await markdown());
            notice('The Markdown of this page is on the clipboard.');
        } catch (problem) {
            complain(problem);
        }
    });
    const route = path`/jobs/${place.jobId}/pages/${place.seq}`;
    return h('div', { class: 'page-head' },
        h('h2', { dir: 'auto' }, found.title || found.url),
        h('p', { class: 'page-url' }, statusBadge(found), ' ', outward(found.url)),
        h('div', { class: 'actions' },
            found.hasMarkdown && copying,
            found.hasMarkdown && h('a', { class: 'button', href: address(`${route}/markdown`, { download: true }), download: true }, 'Download Markdown'),
            found.warc && h('a', { class: 'button', href: address(`${route}/raw`), download: true }, 'Download as received'),
            h('a', { class: 'button', href: link(['jobs', place.jobId, 'why'], { url: found.url }) }, 'Why?')));
}

function about(place, found) {
    return [
        ['kind', found.kind],
        ['cause', [found.cause, found.detail].filter(Boolean).join(': ')],
        ['leads to', found.location && outward(found.location)],
        ['fetched', moment(found.time)],
        ['took', duration(found.ms)],
        ['size', bytes(found.bytes)],
        ['type', [found.type, found.charset].filter(Boolean).join(', ')],
        ['depth', count(found.depth)],
        ['found on', found.parent && h('a', { href: link(['jobs', place.jobId, 'pages', found.parent.seq]) }, found.parent.url)],
        ['retries', found.retries ? count(found.retries) : ''],
        ['digest', found.digest && h('code', {}, found.digest)],
        ['WARC', found.warc && h('code', {}, `${found.warc.file} at ${count(found.warc.offset)}, ${bytes(found.warc.length)}`)],
    ];
}

async function readText(place, found, markdown) {
    if (!found.hasMarkdown) {
        return emptyState('There is no text.', 'Only pages of HTML have some; this capture has none.');
    }
    return h('div', { class: 'prose' }, render(await markdown(), 3));
}

async function readSource(place, found, markdown) {
    if (!found.hasMarkdown) {
        return emptyState('There is no Markdown.', 'Only pages of HTML have some; this capture has none.');
    }
    return h('pre', { class: 'source', tabindex: 0 }, await markdown());
}

async function headers(place, found) {
    return found.headers?.length
        ? table('Headers of the answer', [{ name: 'Name' }, { name: 'Value', wide: true }], found.headers.map(([name, value]) => [name, h('code', {}, value)]))
        : emptyState('There are no headers.', 'No answer came, or none was kept.');
}

async function linksOut(place, found) {
    const links = found.linksOut ?? [];
    const more = (found.linksOutTotal ?? links.length) - links.length;
    const rows = links.map((one) => [
        one.status ? statusBadge({ status: one.status }) : h('span', { class: 'muted' }, 'not fetched'),
        h('div', { class: 'page-cell' },
            one.seq ? h('a', { href: link(['jobs', place.jobId, 'pages', one.seq]), dir: 'auto' }, one.text || one.url) : h('span', { dir: 'auto' }, one.text || one.url),
            one.text && h('span', { class: 'capture-url', dir: 'ltr' }, one.url)),
        h('a', { href: link(['jobs', place.jobId, 'why'], { url: one.url }) }, 'Why?'),
    ]);
    return rows.length
        ? [table('Links of this page', [{ name: 'Status' }, { name: 'Link', wide: true }, { name: 'Reasons' }], rows),
            more > 0 && h('p', { class: 'hint' }, `and ${plural(more, 'more link', 'more links')}`)]
        : emptyState('It has no links.', 'None was found in what was received.');
}

async function linksIn(place, found) {
    const rows = (found.linksIn ?? []).map((one) => [h('a', { href: link(['jobs', place.jobId, 'pages', one.seq]) }, one.url)]);
    return rows.length
        ? table('Pages that link here', [{ name: 'Page', wide: true }], rows)
        : emptyState('No page of this crawl links here.', 'It was a seed, came from a sitemap, or its first finder is not known.');
}
