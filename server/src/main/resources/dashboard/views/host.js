// One host of a job: when its next request is due and why, its robots.txt, its responses and latest pages.

import { get, path, text } from '../api.js';
import { bars } from '../charts.js';
import { h, outward, replace } from '../dom.js';
import { count, duration, moment, plural, until } from '../format.js';
import { JobFrame } from '../jobframe.js';
import { repeat } from '../pace.js';
import { captureItem, emptyState, facts, loadInto, panel, skeleton, statusBadge } from '../parts.js';
import { link } from '../router.js';
import { HOST_STATES, isActive, STATUS_CLASSES } from '../words.js';

const EVERY_MS = 3000;
const STILL_MS = 60_000;
const LATEST = 15;

/** The service lists at most this many hosts at once, those with work first. */
const HOSTS_MAX = 500;

export async function host(view) {
    const frame = new JobFrame(view, '');
    if (!(await frame.open())) {
        return;
    }
    const { id, name } = view.params;
    const state = h('div', {}, skeleton(3));
    const responses = h('div', {}, skeleton(4));
    const robots = h('div', {}, skeleton(4));
    const latest = h('div', {}, skeleton(5));
    replace(frame.body,
        h('div', { class: 'panel-head' }, h('h2', { class: 'host-title' }, name),
            h('a', { class: 'button', href: link(['jobs', id, 'pages'], { host: name }) }, 'All pages of this host')),
        h('div', { class: 'pair host-panels' },
            panel('Queue and delay', { id: 'host-state' }, state),
            panel('Responses', { id: 'host-responses' }, responses),
            panel('robots.txt', { id: 'host-robots' }, robots),
            panel('Latest responses', { id: 'host-latest' }, latest)));
    loadInto(robots, view.signal, () => robotsOf(id, name, view.signal));
    repeat(view.signal, async () => {
        const parts = [
            [state, () => stateOf(id, name, frame.job, view.signal)],
            [responses, () => responsesOf(id, name, view.signal)],
            [latest, () => latestOf(id, name, view.signal)],
        ];
        // A part that has the focus is not replaced, because the focus would be lost.
        await Promise.all(parts.filter(([place]) => !place.contains(document.activeElement)).map(([place, work]) => loadInto(place, view.signal, work)));
        return isActive(frame.job) ? EVERY_MS : STILL_MS;
    });
}

async function stateOf(id, name, job, signal) {
    const hosts = await get(path`/jobs/${id}/hosts`, { limit: HOSTS_MAX }, signal);
    const found = hosts.items.find((one) => one.host === name);
    if (!found) {
        return h('p', {}, hosts.total > hosts.items.length ? 'This host is not among the hosts with work next.' : 'Nothing is queued for this host.');
    }
    const stricter = (found.foreignSettings ?? []).map((one) => `${one.setting} ${one.value} of job ${one.job}`).join(', ');
    const setting = job.settings?.delay ?? 'auto';
    return facts([
        ['state', `${found.state}: ${HOST_STATES[found.state]}`],
        ['why', found.reason],
        ['next request', found.nextDue && isActive(job) ? `${until(found.nextDue)} (${moment(found.nextDue)})` : ''],
        ['delay', duration(found.delayMs)],
        ['reason for the delay', stricter ? `stricter settings of other jobs: ${stricter}`
            : setting === 'auto' ? 'adapted to the response time of the host; a Crawl-delay in robots.txt counts if it is longer' : `the setting delay is ${setting}; a Crawl-delay in robots.txt counts if it is longer`],
        ['queued', plural(found.queued, 'URL')],
        ['in progress', plural(found.leased, 'request')],
    ]);
}

async function responsesOf(id, name, signal) {
    const totals = await Promise.all(['2xx', '3xx', '4xx', '5xx'].map((status) =>
        get(path`/jobs/${id}/pages`, { host: name, status, limit: 0 }, signal).then((found) => [status, found.total])));
    const failed = await get(path`/jobs/${id}/pages`, { host: name, kind: 'failed', limit: 0 }, signal);
    const items = totals.map(([status, amount], index) => ({
        name: status, amount, className: STATUS_CLASSES[index].className, href: link(['jobs', id, 'pages'], { host: name, status }),
    }));
    items.push({ name: 'failed', amount: failed.total, className: 'class-failed', href: link(['jobs', id, 'pages'], { host: name, kind: 'failed' }) });
    return items.some((one) => one.amount > 0) ? bars(`Responses of ${name}`, items) : emptyState('No responses yet', 'No URL of this host has been requested.');
}

/** Shows the latest robots.txt of the host as it was received, and what its status means. */
async function robotsOf(id, name, signal) {
    const found = await get(path`/jobs/${id}/pages`, { host: name, kind: 'robots', order: 'newest', limit: 1 }, signal);
    const file = found.items[0];
    if (!file) {
        return emptyState('Not requested yet', 'robots.txt is requested before the first page of a host. Another job of this service may have requested it.');
    }
    const line = h('p', { class: 'sentence' }, statusBadge(file), ' ', outward(file.url), ` on ${moment(file.time)}`);
    if (file.status < 200 || file.status >= 300) {
        return [line, h('p', {}, file.status >= 400 && file.status < 500 ? 'The host has no rules: everything is allowed.' : 'The rules are not known: the host rests until they are.')];
    }
    const body = await text(path`/jobs/${id}/pages/${file.seq}/raw`, {}, signal);
    return [line, h('pre', { class: 'source robots-source', tabindex: 0 }, body || '(empty: everything is allowed)')];
}

async function latestOf(id, name, signal) {
    const found = await get(path`/jobs/${id}/pages`, { host: name, order: 'newest', limit: LATEST }, signal);
    return found.items.length
        ? [h('ul', { class: 'captures' }, found.items.map((line) => captureItem(id, line))), h('p', { class: 'hint' }, `${count(found.total)} in all`)]
        : emptyState('No responses yet', 'No URL of this host has been requested.');
}
