// The home view: the form that starts a crawl, and the list of jobs.

import { h, replace } from '../dom.js';
import { JobList } from '../joblist.js';
import { repeat } from '../pace.js';
import { startForm } from '../startform.js';

export async function home({ root, query, signal, title }) {
    title('');
    const list = new JobList(signal);
    replace(root,
        h('h1', { class: 'unseen' }, 'Orbweaver: crawl jobs'),
        startForm(signal),
        h('section', { 'aria-labelledby': 'jobs-title' },
            h('div', { class: 'panel-head' }, h('h2', { id: 'jobs-title' }, 'Jobs'), list.filters),
            list.element));
    const update = (next) => list.show(next);
    update(query);
    repeat(signal, () => list.refresh());
    return update;
}
