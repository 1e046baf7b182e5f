// The fleet view: this process alone, or the workers that share Redis.

import { get } from '../api.js';
import { h, replace } from '../dom.js';
import { ago, bytes, count, percent, plural } from '../format.js';
import { connected } from '../notices.js';
import { repeat } from '../pace.js';
import { emptyState, facts, failure, panel, skeleton, table } from '../parts.js';

const EVERY_MS = 3000;

/** The maximum number of shards drawn as cells; a fleet has 256 by default. */
const SHARDS_MAX = 1024;

const HOSTS = ['ready', 'waiting', 'busy', 'resting', 'idle'];

export async function fleet({ root, signal, title }) {
    title('Fleet');
    const body = h('div', {}, skeleton(4));
    replace(root, h('h1', {}, 'Fleet'), body);
    repeat(signal, async () => {
        try {
            const found = await get('/fleet', {}, signal);
            connected(true);
            replace(body, draw(found));
        } catch (problem) {
            if (problem.status === 0) {
                connected(false);
            } else if (!signal.aborted && problem.status !== 401) {
                replace(body, failure(problem));
            }
        }
        return EVERY_MS;
    });
}

function draw(found) {
    const isFleet = found.mode === 'fleet';
    return [
        h('p', { class: 'sentence' }, isFleet
            ? `${plural(found.workers.length, 'worker')} share the frontier in Redis.`
            : 'Standalone: this process crawls alone, with its frontier on the local disk. To add workers, start the service with --redis.'),
        (found.warnings ?? []).map((warning) => h('p', { class: 'problem' }, warning)),
        panel('Workers', { id: 'workers' }, isFleet ? members(found.workers, found.self) : workers(found.workers ?? [])),
        isFleet && found.hosts && panel('Hosts', { id: 'hosts' }, facts(HOSTS.map((state) => [state, count(found.hosts[state])]))),
        found.redis && panel('Redis', { id: 'redis' }, redis(found.redis)),
        found.shards?.length > 0 && panel('Shards', { id: 'shards' }, shards(found.shards)),
    ];
}

function workers(list) {
    return list.length
        ? table('Workers', [{ name: 'Worker', wide: true }, { name: 'Activity' }, { name: 'Jobs', number: true }, { name: 'Pages', number: true }, { name: 'Last seen' }],
            list.map((one) => [one.name, one.activity ?? '', count(one.jobs), count(one.pages), one.lastSeen ? ago(one.lastSeen) : '']))
        : emptyState('No workers', 'Start one with: orbweaver worker --redis URL --data DIR');
}

/** The workers of a fleet, as they last reported themselves in Redis. */
function members(list, self) {
    return list.length
        ? table('Workers', [{ name: 'Worker', wide: true }, { name: 'Activity' }, { name: 'Last seen' }],
            list.map((one) => [one.name === self ? `${one.name} (this process)` : one.name, one.activity, ago(one.lastSeen)]))
        : emptyState('No workers', 'Start one with: orbweaver worker --redis URL --data DIR');
}

function redis(memory) {
    const limited = memory.maxBytes > 0;
    return [
        limited && h('div', { class: 'job-progress' },
            h('progress', { max: 1, value: memory.usedBytes / memory.maxBytes, 'aria-label': 'Redis memory used' }),
            h('span', {}, percent(memory.usedBytes / memory.maxBytes))),
        facts([
            ['memory used', bytes(memory.usedBytes)],
            ['memory limit', limited ? bytes(memory.maxBytes) : 'none'],
            ['version', memory.version],
        ]),
    ];
}

/** Draws each shard as a cell; a darker cell has more URLs queued. */
function shards(list) {
    const most = list.reduce((size, shard) => Math.max(size, shard.queued), 1);
    const queued = list.reduce((sum, shard) => sum + shard.queued, 0);
    const hosts = list.reduce((sum, shard) => sum + shard.hosts, 0);
    const summary = `${plural(list.length, 'shard')} with ${plural(hosts, 'host')} and ${plural(queued, 'URL')} queued`;
    return [
        h('p', { class: 'hint' }, `${summary}. A darker cell has more URLs queued.`),
        h('div', { class: 'shards', role: 'img', 'aria-label': summary }, list.slice(0, SHARDS_MAX).map((shard) => {
            const cell = h('span', { class: 'shard', title: `shard ${shard.shard}: ${plural(shard.hosts, 'host')}, ${count(shard.queued)} queued` });
            cell.style.setProperty('--fill', `${Math.round((100 * shard.queued) / most)}%`);
            return cell;
        })),
    ];
}
