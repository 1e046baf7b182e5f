// The captures of a job: full-text search, filters and pagination. New captures are announced while the job runs.

import { get, path } from '../api.js';
import { h, replace, setText } from '../dom.js';
import { bytes, count, duration, plural } from '../format.js';
import { JobFrame } from '../jobframe.js';
import { announce } from '../notices.js';
import { paced } from '../pace.js';
import { emptyState, lagNote, loadInto, skeleton, statusBadge, table, timeOf } from '../parts.js';
import { go, link } from '../router.js';
import { KINDS } from '../words.js';

const A_PAGE = 50;

/** The filters in the address, in the order of the form; `url` has no field. */
const FILTERS = ['q', 'status', 'kind', 'type', 'host', 'path', 'url', 'since', 'from', 'to', 'order'];

/** The value of the filter since for times that the user enters. */
const CUSTOM = 'custom';

/** Periods before now, in milliseconds, by their name in the address. */
const PERIODS = { '15m': ['Last 15 minutes', 900_000], '1h': ['Last hour', 3_600_000], '1d': ['Last 24 hours', 86_400_000], '7d': ['Last 7 days', 604_800_000] };

const TYPES = ['text/html', 'application/pdf', 'text/plain', 'application/json', 'application/xml', 'image/png', 'image/jpeg', 'text/css', 'text/javascript'];

export async function pages(view) {
    const frame = new JobFrame(view, 'pages');
    const list = new PageList(view.params.id, view.signal);
    const listener = { page: (line) => list.arrived(line), error: (line) => list.arrived(line) };
    if (await frame.open(listener)) {
        replace(frame.body, list.form, list.news, list.element);
        list.show(view.query);
    }
    return (query) => list.show(query);
}

class PageList {
    #id;
    #signal;
    #query = new URLSearchParams();
    #redraw;
    #inputs;
    #times = h('div', { class: 'times', hidden: true });

    /** The cursors of the list pages visited, up to the current one. */
    #trail = [];

    /** The captures that have arrived since the list was loaded, by number, and the filters of the list. */
    #arrived = new Set();
    #shown = null;
    #newest = 0;

    constructor(id, signal) {
        this.#id = id;
        this.#signal = signal;
        this.#redraw = paced(1000, signal, () => this.#drawNews());
        this.#inputs = {
            q: h('input', { id: 'q', type: 'search', placeholder: 'Words in title, URL or text' }),
            status: select('status', 'Any', ['2xx', '3xx', '4xx', '5xx', '200', '301', '302', '403', '404', '410', '429', '500', '503']),
            kind: select('kind', 'Any', KINDS),
            host: h('input', { id: 'host', type: 'text', autocomplete: 'off', spellcheck: 'false', placeholder: 'Any' }),
            path: h('input', { id: 'path', type: 'text', autocomplete: 'off', spellcheck: 'false', placeholder: '/guide/' }),
            type: h('input', { id: 'type', type: 'text', list: 'types', autocomplete: 'off', spellcheck: 'false', placeholder: 'Any' }),
            url: h('input', { id: 'url', type: 'hidden' }),
            since: h('select', { id: 'since' }, h('option', { value: '' }, 'Any'), Object.entries(PERIODS).map(([name, [label]]) => h('option', { value: name }, label)), h('option', { value: CUSTOM }, 'From and to…')),
            from: h('input', { id: 'from', type: 'datetime-local', step: 1 }),
            to: h('input', { id: 'to', type: 'datetime-local', step: 1 }),
            order: select('order', 'Default', ['newest', 'oldest', 'relevance']),
        };
        const field = (name, label) => h('div', { class: name === 'q' ? 'field grow' : 'field' }, h('label', { for: name }, label), this.#inputs[name]);
        this.form = h('form', { class: 'panel filter-row', role: 'search', 'aria-label': 'Pages' },
            field('q', 'Search'), field('status', 'Status'), field('kind', 'Kind'), field('type', 'Type'), field('host', 'Host'), field('path', 'Path prefix'),
            field('since', 'Time'), this.#times, field('order', 'Order'), h('datalist', { id: 'types' }, TYPES.map((type) => h('option', { value: type }))), h('button', { class: 'primary' }, 'Search'));
        this.#times.append(field('from', 'From'), field('to', 'To'));
        this.#inputs.since.addEventListener('change', () => {
            this.#times.hidden = this.#inputs.since.value !== CUSTOM;
        });
        this.form.addEventListener('submit', (event) => {
            event.preventDefault();
            go(['jobs', this.#id, 'pages'], this.#chosen());
        });
        this.news = h('div', { class: 'news', role: 'status' });
        this.element = h('section', { class: 'panel', 'aria-label': 'Search results' }, skeleton(8));
    }

    #chosen() {
        const chosen = Object.fromEntries(FILTERS.map((name) => [name, this.#inputs[name].value.trim()]));
        const isCustom = chosen.since === CUSTOM;
        return { ...chosen, since: isCustom ? '' : chosen.since, from: isCustom ? utc(chosen.from) : '', to: isCustom ? utc(chosen.to) : '' };
    }

    show(query) {
        this.#query = query;
        FILTERS.forEach((name) => {
            this.#inputs[name].value = query.get(name) ?? '';
        });
        this.#inputs.from.value = local(query.get('from'));
        this.#inputs.to.value = local(query.get('to'));
        if (query.get('from') || query.get('to')) {
            this.#inputs.since.value = CUSTOM;
        }
        this.#times.hidden = this.#inputs.since.value !== CUSTOM;
        const chosen = this.#chosen();
        const cursor = { offset: query.get('offset') ?? '', after: query.get('after') ?? '' };
        this.#arrived.clear();
        this.#drawNews();
        this.#shown = null;
        loadInto(this.element, this.#signal, async () => {
            const found = await get(path`/jobs/${this.#id}/pages`, {
                ...chosen, since: '', from: chosen.from || sinceTime(chosen.since), excerpts: chosen.q ? 'true' : '', ...cursor, limit: A_PAGE,
            }, this.#signal);
            announce(`${plural(found.total, 'result')} found`);
            this.#newest = found.items.reduce((latest, line) => Math.max(latest, line.seq), this.#newest);
            this.#shown = cursor.offset === '' && cursor.after === '' && chosen.order !== 'oldest' && chosen.to === '' ? chosen : null;
            this.#arrived.forEach((seq) => seq <= this.#newest && this.#arrived.delete(seq));
            this.#drawNews();
            return [lagNote(found.indexLag), this.#draw(found, chosen, cursor)];
        });
    }

    /** Counts a capture that belongs to the list; whether a text has the words of a search is not known here. */
    arrived(line) {
        if (this.#shown && line.seq > this.#newest && fits(line, this.#shown)) {
            this.#arrived.add(line.seq);
            this.#redraw();
        }
    }

    #drawNews() {
        // A fast crawl does not publish all its lines, but numbers them.
        const latest = Math.max(this.#newest, ...this.#arrived);
        const isWhole = this.#shown && Object.values(this.#shown).every((value) => value === '');
        const number = isWhole ? latest - this.#newest : this.#arrived.size;
        const text = this.#shown?.q ? `${plural(number, 'new response')}. Search again` : `Show ${plural(number, 'new response')}`;
        const button = this.news.querySelector('button');
        if (number === 0 || !button) {
            replace(this.news, number > 0 && h('button', { type: 'button', class: 'news-button', on: { click: () => this.show(this.#query) } }, text));
        } else {
            setText(button, text);
        }
    }

    #draw(found, chosen, cursor) {
        if (found.items.length === 0) {
            return emptyState('No matching pages', Object.values(chosen).some(Boolean)
                ? 'Try fewer words or another filter.' : 'Pages appear here as they are fetched.');
        }
        const words = wordsOf(chosen.q);
        const rows = found.items.map((line) => [
            statusBadge(line),
            h('div', { class: 'page-cell' },
                h('a', { href: link(['jobs', this.#id, 'pages', line.seq]), dir: 'auto' }, marked(line.title || line.url, words)),
                h('span', { class: 'capture-url', dir: 'ltr' }, marked(line.title ? line.url : line.location || line.detail || '', words)),
                line.excerpt && h('span', { class: 'excerpt', dir: 'auto' }, marked(line.excerpt, words))),
            line.type || line.kind, count(line.depth), bytes(line.bytes), duration(line.ms), timeOf(line.time),
        ]);
        return [
            chosen.url && h('p', { class: 'hint' }, 'All captures of ', h('code', {}, chosen.url), '. ', h('a', { href: link(['jobs', this.#id, 'pages']) }, 'Show all pages')),
            table('Pages', [{ name: 'Status' }, { name: 'Page', wide: true }, { name: 'Type' }, { name: 'Depth', number: true }, { name: 'Size', number: true },
                { name: 'Response time', number: true }, { name: 'Time' }], rows),
            this.#steps(found, chosen, cursor),
        ];
    }

    /** Builds the pager. A search by relevance continues by offset; other lists continue after the last line, without a limit. */
    #steps(found, chosen, cursor) {
        const at = (place) => link(['jobs', this.#id, 'pages'], { ...chosen, ...place });
        const previous = this.#step(JSON.stringify(cursor), cursor.after === '' && cursor.offset === '');
        const byCount = !found.next && found.offset + found.limit < found.total;
        const next = found.next ? { after: found.next } : byCount ? { offset: found.offset + found.limit } : null;
        return h('nav', { class: 'pager', 'aria-label': 'Pagination' },
            h('span', {}, plural(found.total, 'result')),
            h('span', { class: 'actions' },
                previous && h('a', { class: 'button', href: at(JSON.parse(previous)) }, 'Previous'),
                next && h('a', { class: 'button', href: at(next) }, 'Next')));
    }

    /** Records the current cursor. @returns {string} the cursor of the previous list page; empty on the first */
    #step(here, isFirst) {
        const known = isFirst ? 0 : this.#trail.indexOf(here);
        this.#trail.length = known < 0 ? this.#trail.length : known;
        // If the view was opened by its URL, no earlier cursor is known, and Previous leads to the first page.
        const previous = isFirst ? '' : this.#trail.at(-1) ?? '{}';
        this.#trail.push(here);
        return previous;
    }
}

/** Whether a capture that an event has reported passes the filters of a list. */
function fits(line, { status, kind, host, path: prefix, type, url }) {
    const start = () => {
        try {
            return new URL(line.url).pathname.startsWith(prefix);
        } catch {
            return false;
        }
    };
    return (!status || String(line.status) === status || `${Math.floor(line.status / 100)}xx` === status) && (!kind || line.kind === kind)
        && (!host || line.host === host) && (!type || line.type === type.toLowerCase()) && (!url || line.url === url) && (!prefix || start());
}

/** Converts a time of a field, in the browser's time zone, to one for the address and the API. */
function utc(time) {
    return time ? new Date(time).toISOString() : '';
}

/** Converts a time of the address to the value of a field. */
function local(time) {
    const parsed = new Date(time ?? '');
    return Number.isNaN(parsed.getTime()) ? '' : new Date(parsed.getTime() - parsed.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}

function sinceTime(since) {
    return since in PERIODS ? new Date(Date.now() - PERIODS[since][1]).toISOString() : '';
}

/** The words of a search that can occur in a text: those after a minus are left out. */
function wordsOf(search) {
    return search.split(/\s+/).filter((part) => !part.startsWith('-')).flatMap((part) => part.split(/[^\p{L}\p{N}]+/u)).filter(Boolean).slice(0, 20);
}

/** Marks words where they begin a word of a text. */
function marked(text, words) {
    if (words.length === 0) {
        return text;
    }
    const pattern = new RegExp(`(?<![\\p{L}\\p{N}])((?:${words.join('|')})[\\p{L}\\p{N}]*)`, 'giu');
    return text.split(pattern).map((part, index) => (index % 2 ? h('mark', {}, part) : part));
}

function select(id, any, choices) {
    return h('select', { id }, h('option', { value: '' }, any), choices.map((choice) => h('option', { value: choice }, choice)));
}
