// The site as a tree, loaded one level at a time: bars show sizes, colours show response codes.

import { get, path } from '../api.js';
import { attribute, h, replace } from '../dom.js';
import { bytes, plural } from '../format.js';
import { JobFrame } from '../jobframe.js';
import { emptyState, failure, lagNote, loadInto, panel, skeleton, statusBadge } from '../parts.js';
import { link } from '../router.js';

/** The maximum number of entries drawn per level. */
const LEVEL_MAX = 500;

export async function site(view) {
    const frame = new JobFrame(view, 'site');
    if (!(await frame.open())) {
        return;
    }
    const place = h('div', {}, skeleton(8));
    replace(frame.body, panel('Site', { id: 'tree' }, legend(), place));
    const tree = new Tree(view.params.id, view.signal);
    await loadInto(place, view.signal, () => tree.level(''));
}

function legend() {
    return h('ul', { class: 'legend' }, [['good', 'successful'], ['moved', 'redirects'], ['bad', 'errors']].map(([name, label]) =>
        h('li', { class: 'legend-item' }, h('span', { class: `swatch fill-${name}` }), label)));
}

class Tree {
    #id;
    #signal;

    constructor(id, signal) {
        this.#id = id;
        this.#signal = signal;
    }

    async level(at) {
        const found = await get(path`/jobs/${this.#id}/tree`, { path: at }, this.#signal);
        if (found.items.length === 0) {
            return emptyState('No pages yet', 'Pages appear here after they are fetched.');
        }
        const most = found.items.reduce((size, item) => Math.max(size, item.bytes), 1);
        const more = found.items.length - LEVEL_MAX;
        return [at === '' && lagNote(found.indexLag), h('ul', { class: 'tree' },
            found.items.slice(0, LEVEL_MAX).map((item) => this.#branch(item, most)),
            (more > 0 || found.truncated) && h('li', { class: 'hint' }, 'More entries are not shown; filter by path in the Pages view.'))];
    }

    #branch(item, most) {
        const below = h('div', { class: 'below', hidden: true });
        const row = h('div', { class: 'tree-row' },
            item.hasMore ? this.#opener(item, below) : h('span', { class: 'leaf' }),
            this.#name(item),
            item.status ? statusBadge({ status: item.status }) : h('span'),
            outcomes(item),
            h('span', { class: 'tree-pages' }, plural(item.pages, 'page')),
            size(item, most));
        return h('li', {}, row, below);
    }

    #opener(item, below) {
        const button = h('button', { type: 'button', class: 'opener', 'aria-expanded': 'false', 'aria-label': `Expand ${item.name}` });
        button.addEventListener('click', async () => {
            const opens = below.hidden;
            below.hidden = !opens;
            attribute(button, 'aria-expanded', String(opens));
            if (opens && below.children.length === 0) {
                replace(below, skeleton(2));
                try {
                    replace(below, await this.level(item.path));
                } catch (problem) {
                    replace(below, failure(problem));
                }
            }
        });
        return button;
    }

    #name(item) {
        return h('a', { class: 'tree-name', dir: 'ltr', href: link(['jobs', this.#id, 'pages'], filter(item.path)) }, item.name || '/');
    }
}

/** Returns the filter of the Pages view that matches this entry. */
function filter(address) {
    try {
        const url = new URL(address);
        return { host: url.hostname, path: url.pathname === '/' ? '' : url.pathname };
    } catch {
        return { host: address };
    }
}

function outcomes(item) {
    const parts = [['good', item.ok, 'successful'], ['moved', item.redirects, 'redirects'], ['bad', item.errors, 'errors']].filter(([, amount]) => amount > 0);
    const bar = h('span', { class: 'outcomes', role: 'img', 'aria-label': parts.map(([, amount, name]) => `${amount} ${name}`).join(', ') || 'none' });
    parts.forEach(([kind, amount, name]) => {
        const part = h('span', { class: `fill-${kind}`, title: `${amount} ${name}` });
        part.style.setProperty('flex-grow', String(amount));
        bar.append(part);
    });
    return bar;
}

function size(item, most) {
    const bar = h('span', { class: 'size-bar' });
    bar.style.setProperty('inline-size', `${Math.max(1, (100 * item.bytes) / most)}%`);
    return h('span', { class: 'tree-size' }, h('span', { class: 'size-track' }, bar), h('span', {}, bytes(item.bytes)));
}
