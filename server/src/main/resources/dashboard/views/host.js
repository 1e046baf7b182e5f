// One host of a job: when its next request is due and why, its robots.txt, its responses and latest pages.

import { get, path } from '../api.js';
import { bars } from '../charts.js';
import { h, outward, replace } from '../dom.js';
import { count, duration, moment, plural, until } from '../format.js';
import { JobFrame } from '../jobframe.js';
import { repeat } from '../pace.js';
import { captureItem, emptyState, facts, failure, lagNote, loadInto, panel, skeleton } from '../parts.js';
import { link } from '../router.js';
import { DELAY_REASONS, DELAY_SOURCES, HOST_STATES, isActive, ROBOTS_SOURCES, STATUS_CLASSES } from '../words.js';

const EVERY_MS = 3000;
const STILL_MS = 60_000;
const LATEST = 15;

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
        h('div', { class: 'host-panels' },
            h('div', {},
                panel('Queue and delay', { id: 'host-state' }, state),
                panel('Responses', { id: 'host-responses' }, responses),
                panel('robots.txt', { id: 'host-robots' }, robots)),
            panel('Latest responses', { id: 'host-latest' }, latest)));
    let shownRobots = '';
    repeat(view.signal, async () => {
        try {
            const found = await get(path`/jobs/${id}/hosts/${name}`, {}, view.signal);
            replace(state, stateOf(found, frame.job));
            fill(responses, () => responsesOf(id, name, found));
            const text = JSON.stringify(found.robots);
            if (shownRobots !== text) { // A text that is being read or selected stays.
                shownRobots = text;
                replace(robots, robotsOf(id, found.robots));
            }
        } catch (problem) {
            if (problem.status === 404) {
                replace(frame.body, emptyState('Host not found', problem.message));
                return STILL_MS;
            }
            if (!view.signal.aborted && problem.status !== 401) {
                [state, responses, robots].forEach((place) => replace(place, failure(problem)));
            }
        }
        if (!latest.contains(document.activeElement)) {
            await loadInto(latest, view.signal, () => latestOf(id, name, view.signal));
        }
        return isActive(frame.job) ? EVERY_MS : STILL_MS;
    });
}

/** Replaces the content of a part, unless it has the focus, which would be lost. */
function fill(place, content) {
    if (!place.contains(document.activeElement)) {
        replace(place, content());
    }
}

function stateOf(found, job) {
    return facts([
        ['state', `${found.state}: ${HOST_STATES[found.state]}`],
        ['why', found.reason],
        ['next request', found.nextDue && isActive(job) ? `${until(found.nextDue)} (${moment(found.nextDue)})` : ''],
        [isActive(job) ? 'delay' : 'delay of a next run', duration(found.delayMs)],
        ['reason for the delay', reasonOf(found)],
        ['other jobs', (found.foreignSettings ?? []).map((one) => `${one.setting} ${one.value} of job ${one.job}`).join(', ')],
        ['queued', plural(found.queued, 'URL')],
        ['in progress', plural(found.leased, 'request')],
    ]);
}

/** Says what decides the delay, and who has set it. */
function reasonOf(found) {
    const usesSetting = found.delayReason === 'setting' || found.delayReason === 'min-delay';
    return DELAY_REASONS[found.delayReason] + (usesSetting ? `, ${DELAY_SOURCES[found.delaySource]}` : '');
}

function responsesOf(id, name, found) {
    const items = STATUS_CLASSES.map((one) => ({
        name: one.name, amount: found.responses[one.key], className: one.className,
        href: link(['jobs', id, 'pages'], one.key === 'failed' ? { host: name, kind: 'failed' } : { host: name, status: one.name }),
    }));
    return items.some((one) => one.amount > 0)
        ? [lagNote(found.indexLag), bars(`Responses of ${name}`, items)]
        : emptyState('No responses yet', 'No URL of this host has been requested.');
}

/** Shows each robots.txt in force: where it is from, what its status means, and its text. */
function robotsOf(id, files) {
    if (files.length === 0) {
        return emptyState('Not requested yet', 'robots.txt is requested before the first page of a host.');
    }
    return files.map((file) => [
        h('p', { class: 'sentence' }, file.url && outward(file.url), file.url && ': ', ROBOTS_SOURCES[file.source],
            file.fetchedAt && ` on ${moment(file.fetchedAt)}`, file.status && `, ${file.status}`, '. ',
            file.page && h('a', { href: link(['jobs', id, 'pages', file.page]) }, 'Response')),
        file.crawlDelayMs > 0 && h('p', {}, `It has a Crawl-delay of ${duration(file.crawlDelayMs)}.`),
        file.source !== 'ignored' && file.source !== 'custom' && (file.hasRules
            ? h('pre', { class: 'source robots-source', tabindex: 0 }, file.text || '(no rules: everything is allowed)')
            : h('p', {}, `The rules are not known: no page of the host is requested until they are.${file.nextAttempt ? ` Next attempt ${until(file.nextAttempt)}.` : ''}`)),
        file.truncated && h('p', { class: 'hint' }, 'The end of the file is not shown.'),
    ]);
}

async function latestOf(id, name, signal) {
    const found = await get(path`/jobs/${id}/pages`, { host: name, order: 'newest', limit: LATEST }, signal);
    return found.items.length
        ? [h('ul', { class: 'captures' }, found.items.map((line) => captureItem(id, line))), h('p', { class: 'hint' }, `${count(found.total)} in all`)]
        : emptyState('No responses yet', 'No URL of this host has been requested.');
}
