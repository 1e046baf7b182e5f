// States, phases and kinds, with the text that explains each.

import { bytes, count, percent, plural } from './format.js';

/** The states of a job. */
export const JOB_STATES = {
    queued: 'waiting to start',
    running: 'fetching pages',
    paused: 'paused until it is resumed',
    finished: 'all URLs are done, or a limit was reached',
    stopped: 'stopped; can be resumed',
    failed: 'ended with an error',
};

/** The states of a host, in the order in which a host passes through them. */
export const HOST_STATES = {
    busy: 'a request is in progress',
    ready: 'due, waiting for a free request slot',
    waiting: 'waiting for its crawl delay',
    resting: 'in backoff: it failed repeatedly or sent Retry-After',
    idle: 'nothing queued',
};

/** What decides the delay of a host. */
export const DELAY_REASONS = {
    'setting': 'the setting delay',
    'min-delay': 'the shortest automatic delay',
    'response-time': 'adapted to the response time of the host',
    'rate-limit': 'a rate limit of the host that was detected',
    'crawl-delay': 'the Crawl-delay in robots.txt',
};

/** Who has set the setting that decides the delay of a host. */
export const DELAY_SOURCES = {
    'job': 'as this job sets it',
    'preset': 'as the preset sets it',
    'operator': 'as the operator of the service sets it',
    'default': 'which is the default',
    'host-rule': 'as a rule for this host sets it',
    'other-job': 'as another job sets it',
};

/** Where the robots.txt in force is from. */
export const ROBOTS_SOURCES = {
    fetched: 'fetched by this job',
    shared: 'fetched by another job of this service',
    custom: 'the setting robots replaces it',
    ignored: 'robots.txt is ignored, as the setting robots says',
};

/** What a crawl spends its time on: the label and the explanation of each phase. */
export const PHASES = {
    politeness: ['crawl delay', 'waiting between requests to the same host'],
    resting: ['backoff', 'hosts that failed repeatedly or sent Retry-After'],
    concurrency: ['concurrency limit', 'hosts are ready, but all request slots are in use'],
    robots: ['robots.txt', 'fetching robots.txt'],
    dns: ['DNS', 'DNS lookups'],
    connect: ['connect', 'opening connections'],
    tls: ['TLS', 'TLS handshakes'],
    server: ['first byte', 'waiting for the first byte of a response'],
    body: ['download', 'receiving response bodies'],
    parse: ['parse', 'parsing pages'],
    write: ['write', 'writing to disk'],
    idle: ['idle', 'no URLs are queued'],
};

/** The kinds of page log entries. */
export const KINDS = ['page', 'redirect', 'error', 'failed', 'withdrawn', 'robots', 'sitemap'];

/** Whether a job is running or about to start. */
export function isActive(job) {
    return job.state === 'running' || job.state === 'queued';
}

/** Whether a job can be resumed. */
export function isResumable(job) {
    return job.state === 'paused' || job.state === 'stopped' || job.state === 'failed' || job.state === 'finished';
}

/** The outcome of a capture, which selects its colour. */
export function outcome(line) {
    const status = line.status ?? 0;
    if (line.kind === 'failed' || line.kind === 'withdrawn' || status >= 400) {
        return 'bad';
    }
    if (line.kind === 'redirect' || (status >= 300 && status < 400)) {
        return 'moved';
    }
    return status >= 200 || line.kind === 'page' ? 'good' : 'plain';
}

/** The classes of responses in charts, from the bottom up. */
export const STATUS_CLASSES = [
    { key: 'ok', name: '2xx', className: 'class-ok' },
    { key: 'redirects', name: '3xx', className: 'class-redirect' },
    { key: 'clientErrors', name: '4xx', className: 'class-client' },
    { key: 'serverErrors', name: '5xx', className: 'class-server' },
    { key: 'failed', name: 'no response', className: 'class-failed' },
];

/** The colour of a status code in charts. */
export function statusClass(status) {
    return STATUS_CLASSES[Math.min(5, Math.max(2, Math.floor(Number(status) / 100))) - 2].className;
}

/** The text of a status badge: the status code, or the cause if there was no response. */
export function statusWord(line) {
    return line.status ? String(line.status) : line.cause || line.kind || 'none';
}

/** The results of a run of a schedule. */
export const RUN_OUTCOMES = {
    started: 'a job was started',
    skipped: 'no job was started, as the rules of the schedule say',
    failed: 'the job was rejected',
};

/** How far a job is: towards the limit that it is nearest to, if it has one. */
export function progressOf(job) {
    const pages = job.counts.pages;
    if (job.state === 'finished') {
        return { share: 1, text: plural(pages, 'page') };
    }
    if (job.state === 'failed' && pages === 0) {
        return { share: 0, text: 'no pages' };
    }
    const share = job.progress ?? 0;
    if (!job.goal) {
        return { share, text: `${plural(pages, 'page')}, ${percent(share)} of known URLs` };
    }
    const { setting, reached, limit } = job.goal;
    return { share, text: setting === 'max-bytes' ? `${bytes(reached)} of ${bytes(limit)}` : `${count(reached)} of ${plural(limit, 'page')}` };
}
