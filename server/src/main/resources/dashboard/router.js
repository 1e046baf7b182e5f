// Routing by URL fragment: #/jobs/7/pages?q=install. One static page serves all views; the browser's history is the only
// state.

/**
 * Parses a URL fragment.
 *
 * @param {string} hash such as #/jobs/7/pages?q=a
 * @returns {{parts: string[], query: URLSearchParams}}
 */
export function parse(hash) {
    const [route, search = ''] = splitOnce(hash.replace(/^#\/?/, ''), '?');
    const parts = route.split('/').filter(Boolean).map(decoded);
    return { parts, query: new URLSearchParams(search) };
}

function splitOnce(text, separator) {
    const at = text.indexOf(separator);
    return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

/** Decodes a part; an invalid percent-encoding, as in a URL typed by hand, is left unchanged. */
function decoded(part) {
    try {
        return decodeURIComponent(part);
    } catch {
        return part;
    }
}

/** Builds a URL fragment: link(['jobs', 7, 'pages'], {q: 'install'}). */
export function link(parts, query = {}) {
    const given = Object.entries(query).filter(([, value]) => value !== '' && value !== null && value !== undefined);
    const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
    return `#/${parts.map(encodeURIComponent).join('/')}${search ? `?${search}` : ''}`;
}

/** Navigates to a view. */
export function go(parts, query = {}) {
    location.hash = link(parts, query);
}

/**
 * Finds the view for the parts of a fragment. Parts of a pattern that begin with a colon are parameters: jobs/:id.
 *
 * @param {Array<[string, any]>} routes patterns and their targets
 * @returns {{target: any, params: Object<string, string>} | null}
 */
export function match(routes, parts) {
    for (const [pattern, target] of routes) {
        const names = pattern.split('/').filter(Boolean);
        const fits =
            names.length === parts.length &&
            names.every((name, index) => name.startsWith(':') || name === parts[index]);
        if (fits) {
            const named = names.map((name, index) => [name, parts[index]]).filter(([name]) => name.startsWith(':'));
            return { target, params: Object.fromEntries(named.map(([name, part]) => [name.slice(1), part])) };
        }
    }
    return null;
}
