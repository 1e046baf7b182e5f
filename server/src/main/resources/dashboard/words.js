// States, phases and kinds, with the text that explains each.

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

/** What a crawl spends its time on. */
export const PHASES = {
    politeness: 'crawl delays of hosts',
    resting: 'hosts in backoff',
    concurrency: 'concurrency limit: hosts are ready',
    robots: 'fetching robots.txt',
    dns: 'DNS lookups',
    connect: 'connecting',
    tls: 'TLS handshakes',
    server: 'waiting for the first byte',
    body: 'receiving bodies',
    parse: 'parsing pages',
    write: 'writing to disk',
    idle: 'no URLs queued',
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
