// The site as a tree, one level at a time: sizes as bars, what came of the pages as colours.

import { get, path } from '../api.js';
import { attribute, h, replace } from '../dom.js';
import { bytes, plural } from '../format.js';
import { JobFrame } from '../jobframe.js';
import { emptyState, failure, loading, loadInto, panel, statusBadge } from '../parts.js';
import { link } from '../router.js';

/** Folders of one level that are drawn; the rest is told as a number. */
const LEVEL_MAX = 500;

export async function site(view) {
    const frame = new JobFrame(view, 'site');
    if (!(await frame.open())) {
        return;
    }
    const place = h('div', {}, loading());
    replace(frame.body, panel('The site', { id: 'tree' }, legend(), place));
    const tree = new Tree(view.params.id, view.signal);
    await loadInto(place, view.signal, () => tree.level(''));
}

function legend() {
    return h('ul', { class: 'legend' }, [['good', 'answered'], ['moved', 'redirects'], ['bad', 'errors']].map(([name, label]) =>
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
            return emptyState('Nothing here yet.', 'Pages appear in the tree once they are fetched.');
        }
        const most = found.items.reduce((size, item) => Math.max(size, item.bytes), 1);
        const more = found.items.length - LEVEL_MAX;
        return h('ul', { class: 'tree' },
            found.items.slice(0, LEVEL_MAX).map((item) => this.#branch(item, most)),
            (more > 0 || found.truncated) && h('li', { class: 'hint' }, 'and more, which the pages view finds by path'));
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
        const button = h('button', { type: 'button', class: 'opener', 'aria-expanded': 'false', 'aria-label': `Open ${item.name}` });
        button.addEventListener('click', async () => {
            const opens = below.hidden;
            below.hidden = !opens;
            attribute(button, 'aria-expanded', String(opens));
            if (opens && below.children.length === 0) {
                replace(below, loading());
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

/** The filter of the pages view that shows what lies here. */
function filter(address) {
    try {
        const url = new URL(address);
        return { host: url.hostname, path: url.pathname === '/' ? '' : url.pathname };
    } catch {
        return { host: address };
    }
}

function outcomes(item) {
    const parts = [['good', item.ok, 'answered'], ['moved', item.redirects, 'redirects'], ['bad', item.errors, 'errors']].filter(([, amount]) => amount > 0);
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
