// Labels, units and groups of settings. A setting without an entry is shown with its name and in the last group.

/** The groups in the order of forms; each setting has its label and, where the value needs one, an example or unit. */
export const SETTING_GROUPS = [
    ['Limits', {
        'max-pages': ['Maximum pages', 'pages, such as 5000'],
        'max-depth': ['Maximum depth', 'links from a seed'],
        'max-time': ['Maximum time', 'such as 30m or 2h'],
        'max-bytes': ['Maximum data', 'such as 500MB or 10GB'],
        'max-hosts': ['Maximum hosts', 'hosts'],
        'max-urls-per-host': ['Maximum URLs per host', 'URLs'],
        'max-urls-per-domain': ['Maximum URLs per domain', 'URLs'],
        'max-urls-matching': ['Maximum URLs by pattern', 'rules, comma-separated'],
        'max-idle-wait': ['Longest wait for resting hosts', 'such as 60s'],
    }],
    ['Scope', {
        'scope': ['Follow links within', ''],
        'include': ['Only URLs that match', 'regular expressions, such as /docs/'],
        'exclude': ['Skip URLs that match', 'regular expressions, such as [?]print='],
        'page-requisites': ['Images, styles and scripts', ''],
        'sitemaps': ['Read sitemaps', ''],
        'skip-types': ['Skip media types', 'comma-separated'],
        'skip-extensions': ['Skip file extensions', 'comma-separated'],
        'nofollow': ['Links marked nofollow', ''],
        'purpose': ['Purpose of the pages', ''],
        'priority': ['Priority rules', 'rules, comma-separated'],
        'traps': ['Detect crawler traps', ''],
        'trap-budget': ['Repeated pages until a trap', 'pages'],
        'max-redirects': ['Maximum redirects in a row', 'redirects'],
    }],
    ['Politeness', {
        'delay': ['Delay between requests to a host', 'auto, or such as 2s'],
        'concurrency-per-host': ['Concurrent requests per host', 'requests'],
        'concurrency': ['Concurrent requests in all', 'requests'],
        'min-delay': ['Shortest automatic delay', 'such as 1s'],
        'max-delay': ['Longest automatic delay', 'such as 30s'],
        'delay-factor': ['Automatic delay, as a multiple of the response time', 'times'],
        'delay-ip': ['Delay per IP address', 'auto, or such as 100ms'],
        'delay-domain': ['Delay per domain', 'such as 1s'],
        'host-rule': ['Rules for hosts', "such as '*.example.com delay=5s'"],
        'rate-group': ['Hosts that share a delay', 'rules, comma-separated'],
        'error-backoff': ['Backoff after an error', 'such as 2s'],
        'max-retry-after': ['Longest Retry-After to honour', 'such as 1d'],
        'robots': ['robots.txt', ''],
        'contact': ['Contact for site owners', 'URL or e-mail address'],
        'user-agent': ['User-Agent', ''],
    }],
    ['Revisits', {
        'revisit': ['Visit pages again', 'never, auto, or such as 1d'],
        'revisit-budget': ['Maximum visits of known pages', 'such as 10000/day'],
    }],
    ['Requests', {
        'timeout': ['Timeout of a request', 'such as 60s'],
        'connect-timeout': ['Timeout to connect', 'such as 10s'],
        'first-byte-timeout': ['Timeout for the first byte', 'such as 20s'],
        'dns-timeout': ['Timeout of a DNS lookup', 'such as 10s'],
        'idle-timeout': ['Close idle connections after', 'such as 30s'],
        'max-retries': ['Maximum retries', 'retries'],
        'retry-delay': ['First retry after', 'such as 5s'],
        'header': ['Request headers', "such as 'example.com X-Key: abc'"],
        'credentials': ['Credentials', "such as 'https://example.com basic USER:PASSWORD'"],
        'cookies': ['Accept cookies', ''],
        'max-connections': ['Maximum connections', 'connections'],
        'max-connections-per-host': ['Maximum connections per server', 'connections'],
        'max-body': ['Maximum response body', 'such as 20MB'],
        'max-content-length': ['Skip responses larger than', 'such as 100MB'],
        'max-header': ['Maximum response headers', 'such as 64KB'],
        'max-parse-bytes': ['Search for links in the first', 'such as 10MB'],
        'max-decompression-ratio': ['Maximum decompression ratio', 'times'],
    }],
    ['Storage', {
        'warc-compression': ['Compression of WARC files', ''],
        'max-warc-size': ['Size of a WARC file', 'such as 1GB'],
        'warc-digests': ['Digests in WARC records', ''],
        'warc-revisits': ['Store repeated content once', ''],
        'warc-outlinks': ['Store outlinks in WARC files', ''],
        'warc-dns': ['Store DNS results in WARC files', ''],
        'stop-grace': ['Time to finish when stopped', 'such as 5s'],
    }],
];

/** What the values of settings with fixed values mean. */
const VALUES = {
    'scope': { path: 'below the path of each seed', host: 'the host of each seed', domain: 'the domain of each seed, with subdomains', any: 'any site' },
    'robots': { obey: 'obey', ignore: 'ignore' },
    'nofollow': { obey: 'do not follow', ignore: 'follow' },
    'purpose': { none: 'not stated', archive: 'archive', search: 'search', 'ai-input': 'input of an AI system', 'ai-train': 'AI training' },
    'warc-compression': { none: 'none' },
    'warc-digests': { both: 'of block and payload', payload: 'of the payload' },
    'durability': { process: 'survive a crash of the program', power: 'survive a power failure' },
    'revisit': { never: 'never', auto: 'when they have probably changed' },
    'delay': { auto: 'adapts to the host' },
};

const UNITS = { ms: 'ms', s: 's', m: 'min', h: 'h', d: 'd' };

const LABELS = new Map(SETTING_GROUPS.flatMap(([, settings]) => Object.entries(settings)));

/** The label of a setting. */
export function settingLabel(name) {
    return LABELS.get(name)?.[0] ?? name;
}

/** What the most frequent settings do; others have the text of the command line. */
const HELP = {
    'max-pages': 'The crawl ends after this number of pages. Requests in progress may add a few.',
    'max-depth': 'How many links away from a seed a page may be. With 0 only the seeds are fetched.',
    'max-time': 'The crawl ends after this time. A job that is resumed gets the time again.',
    'max-bytes': 'The crawl ends after this amount of response bodies.',
    'max-hosts': 'URLs of further hosts are not fetched.',
    'max-urls-per-host': 'Further URLs of a host are not fetched.',
    'scope': 'Links that lead elsewhere are not followed.',
    'delay': 'Between a response and the next request. The automatic delay follows the response time of the host.',
    'concurrency-per-host': 'More than 1 loads the host more.',
    'include': 'Only URLs in which an expression is found are fetched. Pages that lead to them have to match too, except seeds.',
    'exclude': 'URLs in which an expression is found are not fetched, also if they match the field before.',
    'contact': 'Site owners find it in the User-Agent of every request.',
};

/** What a setting does, as a sentence. */
export function settingHelp(setting) {
    return HELP[setting.name] ?? (setting.help ? `${setting.help[0].toUpperCase()}${setting.help.slice(1)}.`.replace(/\.\.$/, '.') : '');
}

/** The unit or an example of a setting's value; empty if it needs none. */
export function settingUnit(name) {
    return LABELS.get(name)?.[1] ?? '';
}

/** The value of a setting in words: yes, 2\u00a0s, the host of each seed. */
export function valueWord(name, value) {
    const text = String(value);
    const time = /^(\d+)(ms|s|m|h|d)$/.exec(text);
    return VALUES[name]?.[text] ?? { true: 'yes', false: 'no' }[text] ?? (time ? `${time[1]}\u00a0${UNITS[time[2]]}` : text);
}

/** Sorts settings into groups: pairs of a heading and its settings, without empty groups. */
export function grouped(settings) {
    const groups = SETTING_GROUPS.map(([heading, known]) => [heading, settings.filter((setting) => setting.name in known)]);
    groups.push(['Other', settings.filter((setting) => !LABELS.has(setting.name))]);
    return groups.filter(([, members]) => members.length > 0);
}
