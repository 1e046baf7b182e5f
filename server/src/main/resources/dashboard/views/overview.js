// The overview of a job: rate, latency, what it waits for, hosts, URL counts, latest pages and errors.

import { get, path } from '../api.js';
import { asShares, StackedBar, TimeChart } from '../charts.js';
import { attribute, h, replace, setText } from '../dom.js';
import { bytes, clock, count, duration, percent, plural, rate, short } from '../format.js';
import { History, responseRates } from '../history.js';
import { HostPicture } from '../hostpicture.js';
import { JobFrame } from '../jobframe.js';
import { Ledger } from '../ledger.js';
import { limitsForm } from '../limits.js';
import { LIST_MAX, Newest } from '../newest.js';
import { complain } from '../notices.js';
import { everyWhileVisible, paced, repeat } from '../pace.js';
import { lagNote, loadInto, panel, skeleton, table, timeOf } from '../parts.js';
import { link } from '../router.js';
import { mayOperate } from '../session.js';
import { HOST_STATES, isActive, outcome, PHASES, progressOf, STATUS_CLASSES } from '../words.js';

const POINTS_MAX = 600;
const HOSTS_MAX = 200;
const HOSTS_EVERY_MS = 10_000;
const LISTS_EVERY_MS = 3000;
const REVISITS_EVERY_MS = 10_000;
const HOUR_MS = 3_600_000;

/** A running crawl is always some lines ahead of its index; a larger lag is shown. */
const LAG_MIN = 100;

/** The lists of an inactive job are complete after this many reloads without a new entry. */
const STILL_ROUNDS = 5;

export async function overview(view) {
    const frame = new JobFrame(view, '');
    const dashboard = new Overview(view.params.id, frame, view.signal);
    if (await frame.open(dashboard.listener())) {
        replace(frame.body, dashboard.element);
        dashboard.begin();
    }
}

class Overview {
    #id;
    #frame;
    #signal;
    #history = new History();
    #lag = h('div');
    #tiles = new Tiles();
    #ledger = new Ledger();
    #waiting = new StackedBar('Waiting for');
    #summary = h('p', { class: 'sentence' });
    #share = h('p', { class: 'hint' });
    #foreign = h('p', { class: 'hint' });
    #revisits;
    #progress = h('progress', { max: 1, 'aria-label': 'Progress of the job' });
    #settled = h('span');
    #report = h('a', { class: 'report-link', hidden: true }, 'View the report');
    #range = h('select', { id: 'range', 'aria-label': 'Period of the charts', on: { change: () => this.#drawCharts() } });
    #responses;
    #queue;
    #charts;
    #isLoaded = false;
    #hostPanel;
    #rate;
    #latency;
    #hosts;
    #pages;
    #errors;
    #redraw;

    constructor(id, frame, signal) {
        this.#id = id;
        this.#frame = frame;
        this.#signal = signal;
        this.#responses = new TimeChart('Responses per second, by status', STATUS_CLASSES, rate, signal, { stacked: true, whole: false });
        this.#queue = new TimeChart('Queued URLs', [{ name: 'queued', key: 'queued' }], short, signal);
        this.#rate = new TimeChart('Stored pages per second', [{ name: 'pages/s', key: 'rate' }], rate, signal);
        this.#latency = new TimeChart('Response time', [{ name: 'p50', key: 'p50' }, { name: 'p95', key: 'p95' }], duration, signal);
        this.#revisits = new Revisits(id, signal);
        this.#hosts = new HostPicture(signal);
        this.#pages = new Newest(id, 'No pages yet.');
        this.#errors = new Newest(id, 'No errors.');
        this.#redraw = paced(1000, signal, () => this.#draw());
        this.element = this.#layout();
    }

    #layout() {
        const hostTable = h('div');
        const unfolded = h('details', { class: 'fold' }, h('summary', {}, 'Show as table'), hostTable);
        unfolded.addEventListener('toggle', () => unfolded.open && this.#hostTable(hostTable));
        const limits = h('div');
        const limitsFold = h('details', { class: 'fold' }, h('summary', {}, 'Edit limits and settings'), limits);
        limitsFold.addEventListener('toggle', () => limitsFold.open && limits.children.length === 0 && this.#limits(limits));
        return h('div', { class: 'overview' },
            h('div', { class: 'job-progress' }, this.#progress, this.#settled, this.#report),
            this.#tiles.element,
            this.#charts = panel('Over time', { id: 'rate', actions: [this.#range] },
                h('div', { class: 'charts' }, this.#responses.element, this.#rate.element, this.#latency.element, this.#queue.element)),
            h('div', { class: 'wide-pair' },
                panel('Waiting for', { id: 'waiting' }, this.#summary, this.#waiting.element, this.#share, this.#foreign),
                panel('URLs', { id: 'ledger' }, this.#ledger.element)),
            this.#revisits.element,
            this.#hostPanel = panel('Hosts', { id: 'hosts' }, this.#hosts.element, unfolded),
            this.#lag,
            h('div', { class: 'pair' },
                panel('Latest pages', { id: 'newest', actions: [h('a', { href: link(['jobs', this.#id, 'pages']) }, 'All pages')] }, this.#pages.element),
                panel('Latest errors', { id: 'errors', actions: [h('a', { href: link(['jobs', this.#id, 'failures']) }, 'All failures')] }, this.#errors.element)),
            mayOperate() && panel('Limits', { id: 'limits' }, limitsFold));
    }

    /** The event handlers of this view. */
    listener() {
        return {
            load: () => this.#load(),
            state: () => {
                this.#loadHosts();
                this.#redraw();
            },
            progress: (event) => {
                if (event.point) {
                    this.#history.add(event.point);
                }
                this.#redraw();
            },
            page: (line) => {
                this.#pages.add(good([line]));
                this.#redraw();
            },
            error: (line) => {
                this.#errors.add([line]);
                this.#redraw();
            },
            host: (host) => this.#hosts.update(host),
        };
    }

    begin() {
        this.#draw();
        // The time until a host is due shrinks every second, also without events.
        everyWhileVisible(1000, this.#signal, () => isActive(this.#frame.job) && this.#hosts.draw());
        this.#catchUp();
        this.#loadRevisits();
        everyWhileVisible(REVISITS_EVERY_MS, this.#signal, () => isActive(this.#frame.job) && this.#loadRevisits());
        everyWhileVisible(HOSTS_EVERY_MS, this.#signal, () => isActive(this.#frame.job) && this.#loadHosts());
    }

    async #load() {
        try {
            const [history] = await Promise.all([
                get(path`/jobs/${this.#id}/history`, {}, this.#signal),
                this.#loadLists(),
                this.#loadHosts(),
            ]);
            this.#history.load(history);
            this.#isLoaded = true;
            this.#redraw();
        } catch (problem) {
            complain(problem);
        }
    }

    /** @returns {Promise<boolean>} whether a new entry was found */
    async #loadLists() {
        const [pages, errors] = await Promise.all([
            get(path`/jobs/${this.#id}/pages`, { limit: LIST_MAX, order: 'newest' }, this.#signal),
            get(path`/jobs/${this.#id}/errors`, { limit: LIST_MAX }, this.#signal),
        ]);
        const isNew = [this.#pages.add(good(pages.items)), this.#errors.add(errors.items)].includes(true);
        this.#redraw();
        return isNew;
    }

    /**
     * Reloads the lists periodically. They come from the search index, which lags behind the crawl: an entry from just
     * before the event stream opened may be in neither.
     */
    #catchUp() {
        let still = 0;
        repeat(this.#signal, async () => {
            try {
                still = (await this.#loadLists()) || isActive(this.#frame.job) ? 0 : still + 1;
            } catch {
                // The event stream reports connection problems; this loop only waits for the next round.
                still++;
            }
            return still < STILL_ROUNDS ? LISTS_EVERY_MS : HOUR_MS;
        });
    }

    #loadRevisits() {
        return this.#revisits.load(this.#frame.job);
    }

    async #loadHosts() {
        try {
            const hosts = await get(path`/jobs/${this.#id}/hosts`, { limit: HOSTS_MAX }, this.#signal);
            this.#hosts.replaceAll(hosts.items);
            this.#hosts.draw();
        } catch (problem) {
            complain(problem);
        }
    }

    #draw() {
        const job = this.#frame.job;
        const progress = progressOf(job);
        this.#progress.value = progress.share;
        setText(this.#settled, progress.text);
        attribute(this.#report, 'href', link(['jobs', this.#id, 'report']));
        this.#report.hidden = isActive(job) || !job.started;
        // A job that has ended has no queue at any host; a job that was never started has no history.
        this.#hostPanel.hidden = !isActive(job) && job.state !== 'paused';
        this.#charts.hidden = this.#isLoaded && !isActive(job) && this.#history.isEmpty();
        this.#tiles.draw(job);
        replace(this.#lag, lagNote(job.search?.lag, LAG_MIN));
        this.#drawCharts();
        this.#drawWaiting(job.waiting);
        setText(this.#foreign, foreignText(job.foreignSettings, 'for all hosts'));
        this.#hosts.counts(job.hosts);
        this.#hosts.draw();
        this.#ledger.draw(job.counts);
        this.#pages.draw();
        this.#errors.draw();
    }

    /** Draws the points of the chosen period. */
    #drawCharts() {
        const periods = this.#history.periods();
        const names = periods.map(([, name]) => name).join();
        if (this.#range.dataset.names !== names) {
            const chosen = Number(this.#range.value);
            this.#range.dataset.names = names;
            replace(this.#range, periods.map(([period, name]) => h('option', { value: period }, name)));
            this.#range.value = periods.some(([period]) => period === chosen) ? chosen : 0;
            this.#range.hidden = periods.length < 2;
        }
        const { points, slot } = this.#history.within(Number(this.#range.value));
        this.#responses.draw(responseRates(points), slot);
        [this.#rate, this.#latency, this.#queue].forEach((chart) => chart.draw(points, slot));
    }

    #drawWaiting(waiting) {
        setText(this.#summary, withLocalTimes(waiting?.summary || 'No data yet.'));
        setText(this.#share, Number.isFinite(waiting?.politenessShare) ? `${isActive(this.#frame.job) ? 'Running' : 'Ran'} at ${percent(waiting.politenessShare)} of the polite maximum.` : '');
        this.#waiting.draw(asShares(waiting?.shares ?? [], PHASES));
    }

    #hostTable(place) {
        replace(place, skeleton(4));
        return loadInto(place, this.#signal, async () => {
            const hosts = await get(path`/jobs/${this.#id}/hosts`, { limit: HOSTS_MAX }, this.#signal);
            const rows = hosts.items.map((host) => [
                h('a', { href: link(['jobs', this.#id, 'hosts', host.host]) }, host.host),
                h('span', { class: `host-word host-${host.state}`, title: HOST_STATES[host.state] }, host.state),
                count(host.queued), host.nextDue ? timeOf(host.nextDue) : '', duration(host.delayMs),
                foreignText(host.foreignSettings, 'here'),
            ]);
            const more = hosts.total - hosts.items.length;
            return [
                table('Hosts', [{ name: 'Host', wide: true }, { name: 'State' }, { name: 'Queued', number: true }, { name: 'Next request' },
                    { name: 'Delay', number: true }, { name: 'Other jobs' }], rows),
                more > 0 && h('p', { class: 'hint' }, `and ${plural(more, 'more host', 'more hosts')}`),
            ];
        });
    }

    #limits(place) {
        replace(place, skeleton(4));
        return loadInto(place, this.#signal, () =>
            limitsForm(this.#id, () => this.#frame.job, (job) => this.#frame.take(job), this.#signal));
    }
}

/** Replaces the times of a sentence of the service by those of the browser's time zone. */
function withLocalTimes(sentence) {
    return sentence.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, (time) => clock(time));
}

/** Drops every second point when there are too many: the chart always covers the whole time. */
function thinned(points) {
    return points.length > POINTS_MAX ? points.filter((_, index) => index % 2 === 1) : points;
}

/** Names the stricter settings of other jobs that are in force. */
function foreignText(settings, where) {
    return (settings ?? []).map((each) => `${each.setting} ${each.value} of job ${each.job} is in force ${where}.`).join(' ');
}

/** Returns the lines without failures, which have their own list. */
function good(lines) {
    return lines.filter((line) => outcome(line) !== 'bad');
}

/** How far the visits of known pages are, of a job that visits its pages again. */
class Revisits {
    #id;
    #signal;
    #points = [];
    #figures = h('p', { class: 'sentence' });
    #budget = h('p', { class: 'hint' });
    #fresh;
    #waiting;

    constructor(id, signal) {
        this.#id = id;
        this.#signal = signal;
        this.#fresh = new TimeChart('Current pages (estimated)', [{ name: 'current pages', key: 'freshness' }], percent, signal);
        this.#waiting = new TimeChart('Pages to visit again', [{ name: 'due', key: 'due' }, { name: 'overdue by a day', key: 'overdue' }], count, signal);
        this.element = panel('Revisits', { id: 'revisits' }, this.#figures, this.#budget,
            h('div', { class: 'pair' }, this.#fresh.element, this.#waiting.element));
        this.element.hidden = true;
    }

    async load(job) {
        const setting = job.settings?.revisit ?? 'never';
        this.element.hidden = setting === 'never';
        if (this.element.hidden) {
            return;
        }
        try {
            this.#draw(await get(path`/jobs/${this.#id}/revisits`, {}, this.#signal));
        } catch (problem) {
            if (problem.status === 409) { // A job of a fleet.
                setText(this.#figures, problem.message);
            } else {
                complain(problem);
            }
        }
    }

    #draw(revisits) {
        this.#points = thinned([...this.#points, { ...revisits, time: new Date().toISOString() }]);
        setText(this.#figures, `${percent(revisits.freshness)} of ${plural(revisits.pages, 'stored page is', 'stored pages are')} estimated to be current. ` +
            `${count(revisits.due)} due, ${count(revisits.queued)} queued, ${count(revisits.overdue)} overdue by a day, ${count(revisits.gone)} gone.`);
        const limit = revisits.visitsPerDay === null ? '' : ` of ${count(revisits.visitsPerDay)}`;
        setText(this.#budget, `Visits of known pages today (UTC): ${count(revisits.usedToday)}${limit}.`);
        this.#fresh.draw(this.#points);
        this.#waiting.draw(this.#points);
    }
}

/** The tiles with the main figures. */
class Tiles {
    #values = new Map();

    constructor() {
        const tile = (name, unit) => {
            const value = h('dd', {});
            this.#values.set(name, value);
            return h('div', { class: 'tile' }, h('dt', {}, unit), value);
        };
        this.element = h('dl', { class: 'tiles' },
            tile('pages', 'pages'), tile('rate', 'pages/s'), tile('queued', 'queued'), tile('failed', 'failed'),
            tile('bytes', 'received'), tile('latency', 'median response time'));
    }

    draw(job) {
        const latency = job.latencyMs ? duration(job.latencyMs.p50) : '–';
        const shown = {
            pages: short(job.counts.pages), rate: rate(job.rate), queued: short(job.counts.queued), failed: short(job.counts.failed),
            bytes: bytes(job.counts.bytes), latency,
        };
        Object.entries(shown).forEach(([name, text]) => setText(this.#values.get(name), text));
    }
}
