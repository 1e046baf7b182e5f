// The settings of a job, which may change while it runs.

import { get, path, send } from './api.js';
import { h, setText } from './dom.js';
import { blame, clearBlame, fieldValues, settingFields, written } from './fields.js';
import { notice } from './notices.js';

/** What is changed most: how far to go, and how fast. */
const USUAL = ['max-pages', 'max-time', 'max-bytes', 'depth', 'max-urls-per-host', 'max-hosts', 'delay', 'per-host'];

/**
 * A form for them.
 *
 * @param {string} jobId
 * @param {function(): any} current the job as it is known now
 * @param {function(any): void} changed takes the job after a change
 */
export async function limitsForm(jobId, current, changed, signal) {
    const settings = (await get('/settings', {}, signal)).filter((setting) => setting.name !== 'preset');
    const problem = h('p', { class: 'field-problem', role: 'alert', hidden: true });
    const button = h('button', { class: 'primary' }, 'Change');
    const form = h('form', { class: 'limits', novalidate: true },
        settingFields(settings, USUAL, current().settings ?? {}),
        problem,
        h('div', { class: 'actions' }, button));
    form.addEventListener('submit', async (event) => {
        event.preventDefault();
        clearBlame(form);
        problem.hidden = true;
        const changes = changesOf(form, current().settings ?? {}, settings);
        if (Object.keys(changes).length === 0) {
            notice('Nothing was changed.');
            return;
        }
        button.disabled = true;
        try {
            changed(await send('PATCH', path`/jobs/${jobId}`, { settings: changes }));
            notice(`Changed: ${Object.keys(changes).join(', ')}.`);
        } catch (found) {
            if (!blame(form, found)) {
                setText(problem, found.message);
                problem.hidden = false;
            }
        } finally {
            button.disabled = false;
        }
    });
    return form;
}

/** What differs from what is set; an emptied field goes back to what is usual. */
function changesOf(form, values, settings) {
    const usual = new Map(settings.map((setting) => [setting.name, setting.default]));
    const changes = fieldValues(form)
        .filter(([name, value]) => value !== written(values[name]))
        .map(([name, value]) => [name, value === '' ? usual.get(name) : value]);
    return Object.fromEntries(changes);
}
