// One capture: text, headers, outlinks and inlinks.

import { address, get, path, text } from '../api.js';
import { attribute, h, outward, replace } from '../dom.js';
import { bytes, count, duration, moment, plural } from '../format.js';
import { JobFrame } from '../jobframe.js';
import { render } from '../markdown.js';
import { complain, notice } from '../notices.js';
import { copy, emptyState, facts, failure, loadInto, skeleton, statusBadge, table } from '../parts.js';
import { link } from '../router.js';

const SECTIONS = [
    ['text', 'Text', readText],
    ['markdown', 'Markdown', readSource],
    ['source', 'Source', readOriginal],
    ['headers', 'Headers', headers],
    ['out', 'Outlinks', linksOut],
    ['in', 'Inlinks', linksIn],
    ['captures', 'Captures', captures],
];

const CAPTURES_MAX = 100;
const TEXT_TYPE = /^(text\/|application\/(xhtml\+xml|xml|json|javascript|rss\+xml|atom\+xml))/;

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
    const tabs = h('nav', { class: 'tabs tabs-small', 'aria-label': 'Page details' });
    const body = h('div', { class: 'page-body' });
    replace(frame.body, h('article', { class: 'page' },
        h('div', { class: 'panel page-about' }, head(place, found, markdown), facts(about(place, found)), extracted(found)),
        h('div', { class: 'panel' }, tabs, body)));
    const show = (query) => {
        const wanted = SECTIONS.find(([name]) => name === query.get('show')) ?? SECTIONS[0];
        replace(tabs, SECTIONS.map(([name, label]) => tab(place, name, label, name === wanted[0])));
        replace(body, skeleton(6));
        loadInto(body, place.signal, () => wanted[2](place, found, markdown));
    };
    show(view.query);
    return show;
}

/** Wraps a loader so that it runs once, on first use; a failed load is retried on the next use. */
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
            notice('Copied the Markdown of this page to the clipboard.');
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
            found.warc && h('a', { class: 'button', href: address(`${route}/raw`), download: true }, 'Download original'),
            h('a', { class: 'button', href: link(['jobs', place.jobId, 'why'], { url: found.url }) }, 'Why?')));
}

function about(place, found) {
    return [
        ['kind', found.kind],
        ['cause', [found.cause, found.detail].filter(Boolean).join(': ')],
        ['redirects to', found.location && outward(found.location)],
        ['fetched', moment(found.time)],
        ['response time', duration(found.ms)],
        ['size', bytes(found.bytes)],
        ['type', [found.type, found.charset].filter(Boolean).join(', ')],
        ['depth', count(found.depth)],
        ['found on', found.parent && h('a', { href: link(['jobs', place.jobId, 'pages', found.parent.seq]) }, found.parent.url)],
        ['retries', found.retries ? count(found.retries) : ''],
        ['digest', found.digest && h('code', {}, found.digest)],
        ['WARC', found.warc && h('code', {}, `${found.warc.file} at ${count(found.warc.offset)}, ${bytes(found.warc.length)}`)],
    ];
}

/** Fields of extractors. Their names and values come from the site, so they are only ever text nodes. */
function extracted(found) {
    const rows = Object.entries(found.fields ?? {}).map(([name, value]) => [
        h('span', { dir: 'auto' }, name),
        h('span', { dir: 'auto' }, Array.isArray(value) ? value.join(', ') : String(value)),
    ]);
    return rows.length > 0 && table('Extracted fields', [{ name: 'Field' }, { name: 'Value', wide: true }], rows);
}

async function readText(place, found, markdown) {
    if (!found.hasMarkdown) {
        return emptyState('No text', 'Only HTML pages have text.');
    }
    return h('div', { class: 'prose' }, render(await markdown(), 3));
}

async function readSource(place, found, markdown) {
    if (!found.hasMarkdown) {
        return emptyState('No Markdown', 'Only HTML pages are converted to Markdown.');
    }
    return h('pre', { class: 'source', tabindex: 0 }, await markdown());
}

/** The stored body as text. It is never rendered: the element shows characters only. */
async function readOriginal(place, found) {
    if (!found.warc) {
        return emptyState('No source', 'No body of this response is stored.');
    }
    if (!TEXT_TYPE.test(found.type)) {
        return emptyState('Not a text', `The body has the type ${found.type || 'unknown'}. Download the original instead.`);
    }
    return h('pre', { class: 'source', tabindex: 0 }, await text(path`/jobs/${place.jobId}/pages/${place.seq}/raw`, {}, place.signal, found.charset || 'utf-8'));
}

/** Every capture of the URL, the newest first. */
async function captures(place, found) {
    const all = await get(path`/jobs/${place.jobId}/pages`, { url: found.url, order: 'newest', limit: CAPTURES_MAX }, place.signal);
    const rows = all.items.map((one) => [
        String(one.seq) === String(found.seq) ? h('b', {}, moment(one.time)) : h('a', { href: link(['jobs', place.jobId, 'pages', one.seq]) }, moment(one.time)),
        statusBadge(one), bytes(one.bytes), duration(one.ms), one.title,
    ]);
    return [
        table('Captures', [{ name: 'Time' }, { name: 'Status' }, { name: 'Size', number: true }, { name: 'Response time', number: true }, { name: 'Title', wide: true }], rows),
        h('p', { class: 'hint' }, all.total > rows.length ? `The latest ${count(rows.length)} of ${plural(all.total, 'capture')}.` : plural(all.total, 'capture')),
    ];
}

async function headers(place, found) {
    return found.headers?.length
        ? table('Response headers', [{ name: 'Name' }, { name: 'Value', wide: true }], found.headers.map(([name, value]) => [name, h('code', {}, value)]))
        : emptyState('No headers', 'There was no response, or its headers were not stored.');
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
        ? [table('Outlinks', [{ name: 'Status' }, { name: 'Link', wide: true }, { name: 'Explain' }], rows),
            more > 0 && h('p', { class: 'hint' }, `and ${plural(more, 'more link', 'more links')}`)]
        : emptyState('No outlinks', 'The response contains no links.');
}

async function linksIn(place, found) {
    const links = found.linksIn ?? [];
    const more = (found.linksInTotal ?? links.length) - links.length;
    const rows = links.map((one) => [
        h('div', { class: 'page-cell' },
            h('a', { href: link(['jobs', place.jobId, 'pages', one.seq]), dir: 'auto' }, one.title || one.url),
            one.title && h('span', { class: 'capture-url', dir: 'ltr' }, one.url)),
        h('span', { dir: 'auto' }, one.text),
    ]);
    return rows.length
        ? [table('Pages that link here', [{ name: 'Page', wide: true }, { name: 'Link text' }], rows),
            more > 0 && h('p', { class: 'hint' }, `and ${plural(more, 'more page', 'more pages')}`)]
        : emptyState('No inlinks', 'The URL is a seed, was listed in a sitemap, or its source page is unknown.');
}
