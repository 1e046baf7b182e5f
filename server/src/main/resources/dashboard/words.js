// The field's words and how this page explains them.

/** The states of a job, with what each means. */
export const JOB_STATES = {
    queued: 'waits for its turn to start',
    running: 'fetches pages',
    paused: 'holds still until it is resumed',
    finished: 'came to its end or to a limit',
    stopped: 'was stopped; it can be resumed',
    failed: 'could not go on',
};

/** The states of a host that has work, in the order in which a host goes through them. */
export const HOST_STATES = {
    busy: 'being asked now',
    ready: 'may be asked, waits for a worker',
    waiting: 'in its delay',
    resting: 'left alone for longer, because it failed or asked for it',
    idle: 'nothing queued',
};

/** What time goes by with. */
export const PHASES = {
    politeness: 'waiting out the delays of hosts',
    resting: 'waiting for hosts that rest',
    workers: 'hosts ready, no worker free',
    robots: 'fetching robots.txt',
    dns: 'looking up names',
    connect: 'connecting',
    tls: 'TLS handshakes',
    server: 'waiting for servers to answer',
    body: 'receiving bodies',
    parse: 'reading pages',
    write: 'writing pages',
    idle: 'no host has work',
};

/** What a URL can have come to, as the page log calls it. */
export const KINDS = ['page', 'redirect', 'error', 'failed', 'withdrawn', 'robots', 'sitemap'];

/** Whether a job is at work or about to be. */
export function isActive(job) {
    return job.state === 'running' || job.state === 'queued';
}

/** Whether there is a job to go on with. */
export function isResumable(job) {
    return job.state === 'paused' || job.state === 'stopped' || job.state === 'failed' || job.state === 'finished';
}

/** How a capture is coloured: by what came of it. */
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

/** What stands where a status is expected: the status, or the cause where no answer came. */
export function statusWord(line) {
    return line.status ? String(line.status) : line.cause || line.kind || 'none';
}
