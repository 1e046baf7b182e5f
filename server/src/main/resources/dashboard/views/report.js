// The report of a job that has ended: what it found, and what stands out.

import { get, path } from '../api.js';
import { bars, TimeChart } from '../charts.js';
import { h, replace } from '../dom.js';
import { bytes, count, duration, moment, plural, rate, short } from '../format.js';
import { JobFrame } from '../jobframe.js';
import { repeat } from '../pace.js';
import { emptyState, failure, panel, skeleton, statusBadge, table } from '../parts.js';
import { link } from '../router.js';
import { isActive, STATUS_CLASSES, statusClass } from '../words.js';

const POLL_MS = 700;
const LIST_SHOWN = 10;
const SOURCES_SHOWN = 2;

export async function report(view) {
    const frame = new JobFrame(view, 'report');
    const shown = new Report(view.params.id, frame, view.signal);
    if (await frame.open({ changed: () => shown.show() })) {
        await shown.show();
    }
}

class Report {
    #id;
    #frame;
    #signal;
    #round = new AbortController();

    constructor(id, frame, signal) {
        this.#id = id;
        this.#frame = frame;
        this.#signal = signal;
    }

    /** Loads the report; while the service computes it, asks for the progress. */
    async show() {
        this.#round.abort();
        this.#round = new AbortController();
        const signal = AbortSignal.any([this.#signal, this.#round.signal]);
        if (isActive(this.#frame.job)) {
            replace(this.#frame.body, emptyState('The crawl is running', 'The report is available when it has ended or is paused. The overview shows live figures.'));
            return;
        }
        replace(this.#frame.body, skeleton(8));
        const bar = h('progress', { max: 1, 'aria-label': 'Progress of the report' });
        const waiting = h('div', { class: 'panel computing', role: 'status' }, h('p', {}, 'Computing the report…'), bar);
        await repeat(signal, async () => {
            try {
                const found = await get(path`/jobs/${this.#id}/report`, {}, signal);
                if (signal.aborted) {
                    return 0;
                }
                if (found.state === 'computing') {
                    bar.value = found.progress;
                    if (!waiting.isConnected) {
                        replace(this.#frame.body, waiting);
                    }
                    return POLL_MS;
                }
                replace(this.#frame.body, this.#draw(found));
            } catch (problem) {
                if (!signal.aborted && problem.status !== 401) {
                    replace(this.#frame.body, failure(problem));
                }
            }
            this.#round.abort();
            return 0;
        });
    }

    #draw(found) {
        if (found.totals.responses + found.totals.failed === 0) {
            return emptyState('Nothing to report', 'No URL of this job has been fetched.');
        }
        return h('div', { class: 'report' },
            this.#tiles(found),
            panel('Responses over time', { id: 'timeline' }, this.#timeline(found.timeline)),
            h('div', { class: 'trio' },
                panel('Status', { id: 'by-status' }, this.#statuses(found)),
                panel('Type', { id: 'by-type' }, bars('Pages by type', found.types.slice(0, LIST_SHOWN).map((one) =>
                    ({ name: one.name, amount: one.count, text: `${count(one.count)} · ${bytes(one.bytes)}` })))),
                panel('Depth', { id: 'by-depth' }, bars('Pages by depth', found.depths.slice(0, LIST_SHOWN + 2).map((one) =>
                    ({ name: one.name === '0' ? 'seeds' : one.name === '1' ? '1 link' : `${one.name} links`, amount: one.count })))),
                panel('Size', { id: 'by-size' }, bars('Pages by size', found.sizes.map((one) => ({ name: one.name, amount: one.count })))),
                panel('Language', { id: 'by-language' }, bars('Pages by language', languagesOf(found))),
                panel('Response time', { id: 'response-time' }, this.#times(found.responseTimes))),
            this.#hosts(found.hosts),
            this.#broken(found.broken),
            h('div', { class: 'pair' },
                this.#pages('Slowest pages', 'slowest', found.slowest, 'Response time', (page) => duration(page.ms)),
                this.#pages('Largest pages', 'largest', found.largest, 'Size', (page) => bytes(page.bytes)),
                this.#linked(found.mostLinked),
                this.#redirects(found.redirects)),
            this.#duplicates(found.duplicates),
            h('p', { class: 'hint' }, `Computed on ${moment(found.computed)} from ${plural(found.lines, 'line')} of the page log.`));
    }

    #tiles({ totals, responseTimes, broken, duplicates, hosts }) {
        const tile = (text, name, help, href) => h('div', { class: 'tile', title: help },
            h('dt', {}, name), h('dd', {}, href ? h('a', { href }, text) : text));
        return h('dl', { class: 'tiles' },
            tile(short(totals.pages), 'pages', 'stored pages', link(['jobs', this.#id, 'pages'], { kind: 'page' })),
            tile(duration(totals.durationMs), 'duration'),
            tile(rate(totals.pagesPerSecond), 'pages/s on average'),
            tile(bytes(totals.bytes), 'received'),
            tile(duration(responseTimes.p50), 'median response time'),
            tile(short(hosts.total), hosts.total === 1 ? 'host' : 'hosts'),
            tile(short(broken.total), 'broken links', 'URLs with an error or without a response'),
            tile(short(duplicates.surplus), 'duplicates', 'pages with the same content as another page'));
    }

    #timeline(timeline) {
        const chart = new TimeChart(`Responses in intervals of ${duration(timeline.intervalMs)}`, STATUS_CLASSES, count, this.#signal,
            { stacked: true, empty: 'No responses' });
        const start = Date.parse(timeline.start);
        chart.draw(timeline.intervals.map((one, index) => ({ ...one, time: new Date(start + index * timeline.intervalMs).toISOString() })));
        return chart.element;
    }

    #statuses({ statuses, totals }) {
        const items = statuses.map((one) => ({
            name: one.name, amount: one.count, className: statusClass(one.name), href: link(['jobs', this.#id, 'pages'], { status: one.name }),
        }));
        if (totals.failed) {
            items.push({ name: 'no response', amount: totals.failed, className: 'class-failed', href: link(['jobs', this.#id, 'failures']) });
        }
        return bars('Responses by status', items.sort((one, other) => other.amount - one.amount));
    }

    #times(times) {
        return bars('Response time of pages', [['median', times.p50], ['p95', times.p95], ['p99', times.p99], ['slowest', times.max]]
            .map(([name, ms]) => ({ name, amount: ms, text: duration(ms) })), { areShares: false });
    }

    #hosts(hosts) {
        const more = hosts.total - hosts.items.length;
        return panel('Hosts', { id: 'report-hosts' },
            table('Hosts', [{ name: 'Host', wide: true }, { name: 'Responses', number: true }, { name: 'Pages', number: true }, { name: 'Errors', number: true },
                { name: 'Received', number: true }, { name: 'Average response time', number: true }],
            hosts.items.map((one) => [
                h('a', { href: link(['jobs', this.#id, 'hosts', one.host]) }, one.host), count(one.responses), count(one.pages),
                one.errors ? h('span', { class: 'bad' }, count(one.errors)) : '0', bytes(one.bytes), duration(one.averageMs),
            ])),
            more > 0 && h('p', { class: 'hint' }, `and ${plural(more, 'more host', 'more hosts')}`));
    }

    #broken(broken) {
        const rows = broken.items.map(({ page, inlinks, sources }) => [
            statusBadge(page),
            this.#cell(page, page.url),
            sources.length
                ? h('ul', { class: 'sources' }, sources.slice(0, SOURCES_SHOWN).map((source) => h('li', {},
                    h('a', { href: link(['jobs', this.#id, 'pages', source.seq]), dir: 'auto', title: source.url }, source.title || source.url))),
                inlinks > SOURCES_SHOWN && h('li', {}, h('a', { href: link(['jobs', this.#id, 'pages', page.seq], { show: 'in' }) }, `and ${plural(inlinks - SOURCES_SHOWN, 'more page', 'more pages')}`)))
                : h('span', { class: 'muted' }, 'no stored page'),
        ]);
        return panel(`Broken links (${count(broken.total)})`, { id: 'broken' }, rows.length === 0
            ? h('p', { class: 'good-news' }, 'Every requested URL was found.')
            : [expandable(rows, (shown) => table('Broken links', [{ name: 'Status' }, { name: 'URL', wide: true }, { name: 'Linked from' }], shown)),
                broken.total > rows.length && h('p', { class: 'hint' }, `The ${count(rows.length)} with the most inlinks. The export “errors” has all of them.`)]);
    }

    #pages(title, id, pages, column, figure) {
        return panel(title, { id }, table(title, [{ name: 'Page', wide: true }, { name: column, number: true }],
            pages.slice(0, LIST_SHOWN).map((page) => [this.#cell(page, page.title || page.url, page.title && page.url), figure(page)])));
    }

    #linked(linked) {
        return panel('Most linked', { id: 'most-linked' }, linked.length === 0 ? h('p', { class: 'hint' }, 'No page has links.')
            : table('Most linked', [{ name: 'Page', wide: true }, { name: 'Inlinks', number: true }],
                linked.slice(0, LIST_SHOWN).map(({ page, inlinks }) => [this.#cell(page, page.title || page.url, page.title && page.url), count(inlinks)])));
    }

    #redirects(redirects) {
        return panel(`Redirects (${count(redirects.total)})`, { id: 'redirects' }, redirects.items.length === 0 ? h('p', { class: 'hint' }, 'No response was a redirect.')
            : [table('Redirects', [{ name: 'Status' }, { name: 'From and to', wide: true }],
                redirects.items.slice(0, LIST_SHOWN).map((one) => [statusBadge(one), this.#cell(one, one.url, `→ ${one.location}`)])),
            redirects.total > LIST_SHOWN && h('p', { class: 'hint' }, h('a', { href: link(['jobs', this.#id, 'pages'], { kind: 'redirect' }) }, 'All redirects'))]);
    }

    #duplicates(duplicates) {
        const rows = duplicates.items.slice(0, LIST_SHOWN).map((group) => [
            h('ul', { class: 'sources' }, group.pages.map((page) => h('li', {}, h('a', { href: link(['jobs', this.#id, 'pages', page.seq]), dir: 'ltr' }, page.url))),
                group.count > group.pages.length && h('li', { class: 'muted' }, `and ${plural(group.count - group.pages.length, 'more page', 'more pages')}`)),
            count(group.count), bytes(group.bytes),
        ]);
        return panel(`Duplicates (${count(duplicates.surplus)})`, { id: 'duplicates' }, rows.length === 0
            ? h('p', { class: 'good-news' }, 'No two pages have the same content.')
            : [h('p', { class: 'sentence' }, `${plural(duplicates.surplus, 'page has', 'pages have')} the same bytes as another page; ${plural(duplicates.groups, 'content is', 'contents are')} stored at several URLs.`),
                table('Duplicates', [{ name: 'Pages with the same content', wide: true }, { name: 'Pages', number: true }, { name: 'Size of each', number: true }], rows)]);
    }

    #cell(page, title, subtitle) {
        return h('div', { class: 'page-cell' },
            h('a', { href: link(['jobs', this.#id, 'pages', page.seq]), dir: 'auto' }, title),
            subtitle && h('span', { class: 'capture-url', dir: 'ltr' }, subtitle));
    }
}

/** Shows the first rows of a table, and a button that shows all. */
function expandable(rows, draw) {
    const place = h('div', {}, draw(rows.slice(0, LIST_SHOWN)));
    const button = h('button', { type: 'button', class: 'small' }, `Show all ${rows.length}`);
    button.addEventListener('click', () => {
        replace(place, draw(rows));
        button.remove();
        place.querySelector('tbody tr:nth-child(11) a').focus();
    });
    return [place, rows.length > LIST_SHOWN && h('p', { class: 'more' }, button)];
}

/** The languages of HTML pages, and how many of these pages declare none. */
function languagesOf({ languages, types }) {
    const html = types.filter((one) => one.name === 'text/html' || one.name === 'application/xhtml+xml').reduce((sum, one) => sum + one.count, 0);
    const declared = languages.reduce((sum, one) => sum + one.count, 0);
    return [...languages.slice(0, LIST_SHOWN).map((one) => ({ name: languageName(one.name), amount: one.count })),
        ...(html > declared ? [{ name: 'not declared', amount: html - declared, className: 'class-none' }] : [])];
}

const LANGUAGES = new Intl.DisplayNames('en', { type: 'language', fallback: 'code' });

/** Returns the English name of a language; a code that the site invented is shown as it is. */
function languageName(code) {
    try {
        return `${LANGUAGES.of(code)} (${code})`;
    } catch {
        return code;
    }
}
