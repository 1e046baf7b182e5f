// The form that starts a crawl, with its settings in a collapsed section.

import { get, idempotencyKey, send } from './api.js';
import { h, replace, setText } from './dom.js';
import { clearFieldProblems, fieldValues, settingFields, showFieldProblem } from './fields.js';
import { announce, complain } from './notices.js';
import { failure, loading } from './parts.js';
import { go } from './router.js';

/** The settings shown first. */
const COMMON_SETTINGS = ['max-pages', 'max-depth', 'max-time', 'max-bytes', 'scope', 'delay', 'include', 'exclude', 'contact'];

export function startForm(signal) {
    const box = h('input', {
        id: 'seeds', name: 'seeds', type: 'text', inputmode: 'url', autocomplete: 'url', autocapitalize: 'none', spellcheck: 'false',
        required: true, placeholder: 'https://docs.example.com/', 'aria-describedby': 'seeds-help',
    });
    const preset = h('select', { id: 'preset', name: 'preset', 'aria-describedby': 'preset-help' }, h('option', { value: '' }, 'None'));
    const presetHelp = h('p', { class: 'help', id: 'preset-help' });
    const button = h('button', { class: 'primary' }, 'Start crawl');
    const settings = h('div', {}, loading());
    const webhook = webhookFields();
    const problem = h('p', { class: 'field-problem', role: 'alert', hidden: true });
    const form = h('form', { class: 'panel start', novalidate: true },
        h('div', { class: 'start-row' },
            h('div', { class: 'field grow' }, h('label', { for: 'seeds' }, 'URL to crawl'), box),
            h('div', { class: 'field' }, h('label', { for: 'preset' }, 'Preset'), preset),
            button),
        problem,
        h('p', { class: 'help', id: 'seeds-help' }, 'A URL or host name; separate several with spaces. The crawler obeys robots.txt and waits between requests to the same host.'),
        presetHelp,
        h('details', { class: 'fold' },
            h('summary', {}, 'Limits and settings'),
            settings,
            h('details', { class: 'fold' }, h('summary', {}, 'Notify when finished'), webhook)));
    fillPresets(preset, presetHelp, signal);
    fillSettings(settings, signal);
    submitting(form, { box, preset, button, problem });
    return form;
}

function webhookFields() {
    return h('div', { class: 'fields' },
        h('div', { class: 'field' },
            h('label', { for: 'webhook-url' }, 'Webhook URL'),
            h('input', { id: 'webhook-url', type: 'text', inputmode: 'url', autocomplete: 'off', placeholder: 'https://hooks.example.com/crawl' }),
            h('p', { class: 'help' }, 'Receives a POST request with the job when it ends.')),
        h('div', { class: 'field' },
            h('label', { for: 'webhook-secret' }, 'Webhook secret'),
            h('input', { id: 'webhook-secret', type: 'password', autocomplete: 'off' }),
            h('p', { class: 'help' }, 'Signs the request, so that the receiver can verify the sender. At least 8 characters.')));
}

export async function fillPresets(select, help, signal) {
    try {
        const presets = await get('/presets', {}, signal);
        select.append(...presets.map((preset) => h('option', { value: preset.name }, preset.name)));
        select.addEventListener('change', () => {
            const chosen = presets.find((preset) => preset.name === select.value);
            setText(help, chosen ? `${chosen.name}: ${chosen.description}.`.replace(/\.\.$/, '.') : '');
        });
    } catch (problem) {
        complain(problem);
    }
}

/** Fills in the fields of all settings that a job may have. */
export async function fillSettings(place, signal) {
    try {
        // The preset has its own field.
        const all = (await get('/settings', {}, signal)).filter((setting) => setting.name !== 'preset');
        replace(place, settingFields(all, COMMON_SETTINGS));
    } catch (problem) {
        if (!signal.aborted) {
            replace(place, failure(problem));
        }
    }
}

function submitting(form, { box, preset, button, problem }) {
    // The key stays the same until the form changes: a double click, or a retry after a lost response, starts only one crawl.
    let key = idempotencyKey();
    form.addEventListener('input', () => {
        key = idempotencyKey();
    });
    form.addEventListener('submit', async (event) => {
        event.preventDefault();
        clearFieldProblems(form);
        problem.hidden = true;
        button.disabled = true;
        try {
            const job = await send('POST', '/jobs', requestBody(form, box, preset), { 'Idempotency-Key': key });
            announce(`Crawl of ${job.name} started.`);
            go(['jobs', job.id]);
        } catch (found) {
            if (!showFieldProblem(form, found)) {
                setText(problem, found.message);
                problem.hidden = false;
                box.focus();
            }
        } finally {
            button.disabled = false;
        }
    });
}

function requestBody(form, box, preset) {
    const body = { seeds: box.value.split(/\s+/).filter(Boolean), settings: Object.fromEntries(fieldValues(form).filter(([, value]) => value !== '')) };
    if (preset.value) {
        body.preset = preset.value;
    }
    const hook = form.querySelector('#webhook-url').value.trim();
    if (hook) {
        body.webhook = { url: hook, secret: form.querySelector('#webhook-secret').value };
    }
    return body;
}
