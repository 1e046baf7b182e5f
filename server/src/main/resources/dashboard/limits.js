// The form that changes a job's settings while it runs.

import { get, path, send } from './api.js';
import { h, setText } from './dom.js';
import { clearFieldProblems, fieldText, fieldValues, settingFields, showFieldProblem } from './fields.js';
import { notice } from './notices.js';

/** The settings shown first. */
const COMMON_SETTINGS = ['max-pages', 'max-time', 'max-bytes', 'max-depth', 'max-urls-per-host', 'max-hosts', 'delay', 'concurrency-per-host'];

/**
 * Builds the form.
 *
 * @param {string} jobId
 * @param {function(): any} current returns the latest known state of the job
 * @param {function(any): void} changed receives the job after a change
 */
export async function limitsForm(jobId, current, changed, signal) {
    const settings = (await get('/settings', {}, signal)).filter((setting) => setting.name !== 'preset');
    const problem = h('p', { class: 'field-problem', role: 'alert', hidden: true });
    const button = h('button', { class: 'primary' }, 'Save');
    const form = h('form', { class: 'limits', novalidate: true },
        settingFields(settings, COMMON_SETTINGS, current().settings ?? {}),
        problem,
        h('div', { class: 'actions' }, button));
    form.addEventListener('submit', async (event) => {
        event.preventDefault();
        clearFieldProblems(form);
        problem.hidden = true;
        const changes = changesOf(form, current().settings ?? {}, settings);
        if (Object.keys(changes).length === 0) {
            notice('No changes to save.');
            return;
        }
        button.disabled = true;
        try {
            changed(await send('PATCH', path`/jobs/${jobId}`, { settings: changes }));
            notice(`Saved: ${Object.keys(changes).join(', ')}.`);
        } catch (found) {
            if (!showFieldProblem(form, found)) {
                setText(problem, found.message);
                problem.hidden = false;
            }
        } finally {
            button.disabled = false;
        }
    });
    return form;
}

/** Returns the changed settings; an emptied field resets its setting to the default. */
function changesOf(form, values, settings) {
    const defaults = new Map(settings.map((setting) => [setting.name, setting.default]));
    const changes = fieldValues(form)
        .filter(([name, value]) => value !== fieldText(values[name]))
        .map(([name, value]) => [name, value === '' ? defaults.get(name) : value]);
    return Object.fromEntries(changes);
}
