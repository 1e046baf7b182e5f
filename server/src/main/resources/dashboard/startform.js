// The form that starts a crawl: seeds, a preset, settings, and what will happen.

import { get, idempotencyKey, send } from './api.js';
import { h, replace, setText } from './dom.js';
import { clearFieldProblems, fieldValues, settingFields, showFieldProblem } from './fields.js';
import { count, plural } from './format.js';
import { announce, complain } from './notices.js';
import { failure, loading } from './parts.js';
import { go } from './router.js';
import { settingLabel } from './settings.js';

/** The settings shown first. */
const COMMON_SETTINGS = ['max-pages', 'max-depth', 'max-time', 'max-bytes', 'scope', 'delay', 'include', 'exclude', 'contact'];

/** The service accepts this many seeds, in a request of this size. */
const SEEDS_MAX = 10_000;
const FILE_BYTES_MAX = 1 << 20;

/** Values of the setting scope, in the sentence about the crawl. */
const SCOPES = {
    path: (names) => `pages below the path of ${names}`,
    host: (names) => `pages of ${names}`,
    domain: (names) => `pages of all hosts of the domain of ${names}`,
    any: (names) => `pages of any site, starting at ${names}`,
};

export function startForm(signal) {
    const box = h('textarea', {
        id: 'seeds', name: 'seeds', rows: 1, inputmode: 'url', autocapitalize: 'none', autocomplete: 'off', spellcheck: 'false',
        required: true, placeholder: 'https://docs.example.com/', 'aria-describedby': 'seeds-help',
    });
    const file = h('input', { id: 'seed-file', type: 'file', accept: '.txt,text/plain', class: 'unseen', tabindex: -1, 'aria-label': 'File with URLs' });
    const upload = h('button', { type: 'button', class: 'quiet small' }, 'Add from a file');
    const button = h('button', { class: 'primary' }, 'Start crawl');
    const presets = h('fieldset', { class: 'presets' }, h('legend', {}, 'Preset'));
    const settings = h('div', {}, loading());
    const review = h('p', { class: 'review', role: 'status' });
    const webhook = webhookFields();
    const problem = h('p', { class: 'field-problem', role: 'alert', hidden: true });
    const form = h('form', { class: 'panel start', novalidate: true, 'aria-label': 'Start a crawl' },
        h('div', { class: 'start-row' },
            h('div', { class: 'field grow' }, h('label', { for: 'seeds' }, 'URLs to crawl'), box),
            button),
        problem,
        h('div', { class: 'start-help' },
            h('p', { class: 'help', id: 'seeds-help' }, 'URLs or host names. Separate multiple URLs with spaces or line breaks.'), upload, file),
        review,
        h('details', { class: 'fold' },
            h('summary', {}, 'Limits and settings'),
            presets,
            settings,
            h('details', { class: 'fold' }, h('summary', {}, 'Notify when finished'), webhook)));
    const state = { form, box, presets: [], settings: [] };
    const update = () => {
        box.rows = Math.min(8, Math.max(1, box.value.split('\n').length));
        setText(review, reviewText(state));
        review.hidden = box.value.trim() === '';
    };
    form.addEventListener('input', update);
    upload.addEventListener('click', () => file.click());
    file.addEventListener('change', () => addFile(file, box, update));
    fillPresetCards(presets, state, update, signal);
    fillSettings(settings, signal, COMMON_SETTINGS).then((all) => {
        state.settings = all;
        update();
    });
    submitting(state, { button, problem });
    return form;
}

/** Appends the URLs of a file to the seeds: one a line, lines that begin with # are comments. */
async function addFile(file, box, update) {
    const chosen = file.files[0];
    file.value = '';
    if (!chosen) {
        return;
    }
    if (chosen.size > FILE_BYTES_MAX) {
        complain(new Error(`${chosen.name} is larger than 1 MB. Start the crawl with the first URLs, then add more with the REST API.`));
        return;
    }
    const lines = (await chosen.text()).split(/\r?\n/).map((line) => line.trim()).filter((line) => line && !line.startsWith('#'));
    box.value = [box.value.trim(), ...lines].filter(Boolean).join('\n');
    announce(`${plural(lines.length, 'URL')} added from ${chosen.name}.`);
    update();
    box.focus();
}

function seedsOf(box) {
    return box.value.split(/\s+/).filter(Boolean);
}

function presetOf(state) {
    const name = state.form.querySelector('[name=preset]:checked')?.value ?? '';
    return state.presets.find((preset) => preset.name === name) ?? null;
}

/** Says what the crawl will do, from the fields, the preset and the defaults. */
function reviewText(state) {
    const seeds = seedsOf(state.box);
    const given = Object.fromEntries(fieldValues(state.form).filter(([, value]) => value !== ''));
    const value = (name) => given[name] ?? presetOf(state)?.settings[name] ?? state.settings.find((one) => one.name === name)?.default ?? '';
    if (seeds.length > SEEDS_MAX) {
        return `${count(seeds.length)} URLs are too many for one request; the limit is ${count(SEEDS_MAX)}.`;
    }
    const hosts = [...new Set(seeds.map(hostOf))];
    const names = hosts.length > 2 ? `${hosts.slice(0, 2).join(', ')} and ${plural(hosts.length - 2, 'more host')}` : hosts.join(' and ');
    const pages = Number(value('max-pages').replaceAll(/[_,]/g, ''));
    const what = (SCOPES[value('scope')] ?? SCOPES.host)(names);
    const perHost = Number(value('concurrency-per-host') || 1);
    const delay = value('delay');
    const speed = delay === 'auto' || delay === ''
        ? 'a delay that adapts to each host, at least one second unless set otherwise'
        : /^0[a-z]*$/.test(delay) ? 'no delay between requests to a host' : `${delay} between requests to the same host`;
    const limits = [
        value('max-depth') && value('max-depth') !== 'none' && `at most ${plural(Number(value('max-depth')), 'link')} from a seed`,
        value('max-time') && value('max-time') !== 'none' && `for at most ${value('max-time')}`,
        value('max-bytes') && value('max-bytes') !== 'none' && `at most ${value('max-bytes')}`,
    ].filter(Boolean);
    const many = pages > 0 ? `Up to ${count(pages)} ${what}` : `All ${what}`;
    return `${[many, ...limits].join(', ')}; ${speed}${perHost > 1 ? `, up to ${perHost} requests at once per host` : ''}; robots.txt is ${
        value('robots') === 'ignore' ? 'ignored' : 'obeyed'}.`;
}

function hostOf(seed) {
    try {
        return new URL(seed.includes('://') ? seed : `https://${seed}`).host;
    } catch {
        return seed;
    }
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

/** Shows each preset with what it is for and what it sets. */
async function fillPresetCards(place, state, update, signal) {
    try {
        state.presets = await get('/presets', {}, signal);
        const card = (name, title, purpose, effects) => h('label', { class: 'preset' },
            h('input', { type: 'radio', name: 'preset', value: name, checked: name === '' }),
            h('span', { class: 'preset-title' }, title),
            h('span', { class: 'preset-purpose' }, purpose),
            h('span', { class: 'help' }, effects));
        place.append(h('div', { class: 'preset-cards' },
            card('', 'Standard', 'one site, politely', 'The defaults of all settings.'),
            state.presets.map((preset) => card(preset.name, title(preset.name), preset.description,
                `${Object.entries(preset.settings).sort().map(([name, value]) => `${settingLabel(name)}: ${{ true: 'yes', false: 'no' }[value] ?? value}`).join('; ')}.`))));
        update();
    } catch (problem) {
        if (!signal.aborted) {
            place.append(failure(problem));
        }
    }
}

function title(name) {
    return `${name[0].toUpperCase()}${name.slice(1)}`.replaceAll('-', ' ');
}

/** Fills a select with the presets, and shows the description of the selected one. */
export async function fillPresets(select, help, signal) {
    try {
        const presets = await get('/presets', {}, signal);
        select.append(...presets.map((preset) => h('option', { value: preset.name }, title(preset.name))));
        select.addEventListener('change', () => {
            const chosen = presets.find((preset) => preset.name === select.value);
            setText(help, chosen ? `${title(chosen.name)}: ${chosen.description}.` : '');
        });
    } catch (problem) {
        complain(problem);
    }
}

/** Fills in the fields of all settings that a job may have. @returns {Promise<any[]>} the settings */
export async function fillSettings(place, signal, common = COMMON_SETTINGS) {
    try {
        // The preset has its own field.
        const all = (await get('/settings', {}, signal)).filter((setting) => setting.name !== 'preset');
        replace(place, settingFields(all, common));
        return all;
    } catch (problem) {
        if (!signal.aborted) {
            replace(place, failure(problem));
        }
        return [];
    }
}

function submitting(state, { button, problem }) {
    const { form, box } = state;
    // The key stays the same until the form changes: a double click, or a retry after a lost response, starts only one crawl.
    let key = idempotencyKey();
    form.addEventListener('input', () => {
        key = idempotencyKey();
    });
    box.addEventListener('keydown', (event) => {
        if (event.key === 'Enter' && !event.shiftKey && !box.value.includes('\n')) {
            event.preventDefault();
            form.requestSubmit();
        }
    });
    form.addEventListener('submit', async (event) => {
        event.preventDefault();
        clearFieldProblems(form);
        problem.hidden = true;
        button.disabled = true;
        try {
            const job = await send('POST', '/jobs', requestBody(state), { 'Idempotency-Key': key });
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

function requestBody(state) {
    const body = { seeds: seedsOf(state.box), settings: Object.fromEntries(fieldValues(state.form).filter(([, value]) => value !== '')) };
    const preset = presetOf(state);
    if (preset) {
        body.preset = preset.name;
    }
    const hook = state.form.querySelector('#webhook-url').value.trim();
    if (hook) {
        body.webhook = { url: hook, secret: state.form.querySelector('#webhook-secret').value };
    }
    return body;
}
