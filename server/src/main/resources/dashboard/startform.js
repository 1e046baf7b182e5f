// The form that starts a crawl: seeds, a preset, settings, and what will happen.

import { get, idempotencyKey, path, send } from './api.js';
import { h, replace, setText } from './dom.js';
import { clearFieldProblems, fieldText, fieldValues, settingFields, showFieldProblem, showPreset } from './fields.js';
import { count, plural } from './format.js';
import { announce, complain, notice } from './notices.js';
import { failure, skeleton } from './parts.js';
import { go } from './router.js';
import { settingLabel, valueWord } from './settings.js';

/** The settings shown first. */
const COMMON_SETTINGS = ['max-pages', 'max-depth', 'max-time', 'max-bytes', 'scope', 'delay', 'include', 'exclude', 'contact'];

/** The service accepts this many seeds, in a request of this size. */
const SEEDS_MAX = 10_000;
const FILE_BYTES_MAX = 1 << 20;

/** Values of the setting scope, in the sentence about the crawl. */
const SCOPES = {
    path: (names) => `pages below ${names}`,
    host: (names) => `pages of ${names}`,
    domain: (names) => `pages of all hosts of the domain of ${names}`,
    any: (names) => `pages of any site, starting at ${names}`,
};

/** @param {string} copied the id of a job whose seeds and settings are filled in; empty for none */
export function startForm(signal, copied = '') {
    const box = h('textarea', {
        id: 'seeds', name: 'seeds', rows: 1, inputmode: 'url', autocapitalize: 'none', autocomplete: 'off', spellcheck: 'false',
        required: true, placeholder: 'https://docs.example.com/', 'aria-describedby': 'seeds-help',
    });
    const file = h('input', { id: 'seed-file', type: 'file', accept: '.txt,text/plain', class: 'unseen', tabindex: -1, 'aria-label': 'File with URLs' });
    const upload = h('button', { type: 'button', class: 'quiet small' }, 'Add from a file');
    const button = h('button', { class: 'primary' }, 'Start crawl');
    const presets = h('fieldset', { class: 'presets' }, h('legend', {}, 'Preset'));
    const settings = h('div', {}, skeleton(4));
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
            labelFields(),
            presets,
            settings,
            h('details', { class: 'fold' }, h('summary', {}, 'Notify when finished'), webhook)));
    const state = { form, box, presets: [], settings: [] };
    const update = () => {
        box.rows = Math.min(8, Math.max(1, box.value.split('\n').length));
        setText(review, reviewText(state));
        review.hidden = box.value.trim() === '';
        showPreset(settings, presetOf(state)?.settings ?? {});
    };
    form.addEventListener('input', update);
    upload.addEventListener('click', () => file.click());
    file.addEventListener('change', () => addFile(file, box, update));
    Promise.all([
        fillPresetCards(presets, state, update, signal),
        fillSettings(settings, signal, COMMON_SETTINGS),
    ]).then(async ([, all]) => {
        state.settings = all;
        if (copied) {
            await fillCopy(state, copied, signal);
        }
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
    const scope = value('scope');
    const places = [...new Set(seeds.map(scope === 'path' ? pathOf : hostOf))];
    const names = places.length > 2 ? `${places.slice(0, 2).join(', ')} and ${plural(places.length - 2, scope === 'path' ? 'more path' : 'more host')}` : places.join(' and ');
    const pages = Number(value('max-pages').replaceAll(/[_,]/g, ''));
    const what = (SCOPES[scope] ?? SCOPES.host)(names);
    const perHost = Number(value('concurrency-per-host') || 1);
    const limits = [
        value('max-depth') && value('max-depth') !== 'none' && `at most ${plural(Number(value('max-depth')), 'link')} from a seed`,
        value('max-time') && value('max-time') !== 'none' && `for at most ${valueWord('max-time', value('max-time'))}`,
        value('max-bytes') && value('max-bytes') !== 'none' && `at most ${value('max-bytes')}`,
    ].filter(Boolean);
    const many = pages > 0 ? `Up to ${count(pages)} ${what}` : `All ${what}`;
    return `${[many, ...limits].join(', ')}; ${pauseText(value('delay'), value('min-delay'))}${perHost > 1 ? `, up to ${perHost} requests at once per host` : ''}; robots.txt is ${
        value('robots') === 'ignore' ? 'ignored' : 'obeyed'}.`;
}

/** Says how long the crawl waits between two requests to a host. */
function pauseText(delay, shortest) {
    if (delay === 'auto' || delay === '') {
        return `a pause of ${shortest ? valueWord('min-delay', shortest) : '1\u00a0s'} or more between requests to a host, longer where it responds slowly`;
    }
    return /^0[a-z]*$/.test(delay) ? 'no pause between requests to a host' : `a pause of ${valueWord('delay', delay)} between requests to a host`;
}

function hostOf(seed) {
    return parsed(seed)?.host ?? seed;
}

/** The path below which a crawl stays if its scope is path: up to the last slash. */
function pathOf(seed) {
    const url = parsed(seed);
    return url ? url.host + url.pathname.slice(0, url.pathname.lastIndexOf('/') + 1) : seed;
}

function parsed(seed) {
    try {
        return new URL(seed.includes('://') ? seed : `https://${seed}`);
    } catch {
        return null;
    }
}

/** Name, tags and notes of a job: they have no effect on the crawl. */
export function labelFields(job = {}) {
    const field = (name, label, control, help) => h('div', { class: 'field', 'data-setting': name },
        h('label', { for: `job-${name}` }, label), control, h('p', { class: 'help', id: `job-${name}-help` }, help),
        h('p', { class: 'field-problem', hidden: true }));
    const input = (name, value, attributes) => {
        const box = h('input', { id: `job-${name}`, type: 'text', autocomplete: 'off', 'data-label': name, 'aria-describedby': `job-${name}-help`, ...attributes });
        box.value = value ?? '';
        return box;
    };
    const notes = h('textarea', { id: 'job-notes', rows: 2, 'data-label': 'notes', 'aria-describedby': 'job-notes-help', maxlength: 2000 });
    notes.value = job.notes ?? '';
    return h('div', { class: 'fields' },
        field('name', 'Name', input('name', job.name, { maxlength: 100, placeholder: 'the host of the first URL' }), 'Shown in lists instead of the host.'),
        field('tags', 'Tags', input('tags', (job.tags ?? []).join(', '), { placeholder: 'none' }), 'Separate several tags with commas. The list of jobs can be filtered by tag.'),
        field('notes', 'Notes', notes, 'For people. They do not change the crawl.'));
}

/** @returns {{name: string|null, tags: string[], notes: string|null}} the values of {@link labelFields} */
export function labelValues(form) {
    const text = (name) => form.querySelector(`[data-label=${name}]`).value.trim();
    return { name: text('name') || null, tags: text('tags').split(',').map((tag) => tag.trim()).filter(Boolean), notes: text('notes') || null };
}

/** Fills in the seeds and settings of another job. Secrets are not known and have to be entered again. */
async function fillCopy(state, id, signal) {
    try {
        const job = await get(path`/jobs/${id}`, {}, signal);
        state.box.value = job.seeds.join('\n');
        const preset = state.form.querySelector(`[name=preset][value="${CSS.escape(job.preset ?? '')}"]`);
        if (preset) {
            preset.checked = true;
        }
        const secrets = [];
        Object.entries(job.settings).filter(([name]) => name !== 'preset').forEach(([name, value]) => {
            const field = state.form.querySelector(`#setting-${CSS.escape(name)}`);
            if (value === '...') {
                secrets.push(settingLabel(name));
            } else if (field) {
                field.value = fieldText(value);
            }
        });
        const { name, tags, notes } = labelsOf(job);
        state.form.querySelector('[data-label=name]').value = name;
        state.form.querySelector('[data-label=tags]').value = tags.join(', ');
        state.form.querySelector('[data-label=notes]').value = notes;
        state.form.querySelector('details').open = true;
        state.box.focus();
        if (secrets.length > 0) {
            notice(`Enter again what is not shown: ${secrets.join(', ')}.`);
        }
    } catch (problem) {
        complain(problem);
    }
}

/** The labels of a job; a name that is only the host of its first seed counts as none. */
export function labelsOf(job) {
    return { name: job.name === parsed(job.seeds[0])?.hostname ? '' : job.name, tags: job.tags ?? [], notes: job.notes ?? '' };
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
            h('ul', { class: 'help' }, effects.map((effect) => h('li', {}, effect))));
        place.append(h('div', { class: 'preset-cards' },
            card('', 'Standard', 'one site, politely', ['the defaults of all settings']),
            state.presets.map((preset) => card(preset.name, title(preset.name), preset.description,
                Object.entries(preset.settings).sort().map(([name, value]) => `${settingLabel(name)}: ${valueWord(name, value)}`)))));
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
    Object.entries(labelValues(state.form)).filter(([, value]) => value !== null && value.length > 0).forEach(([name, value]) => {
        body[name] = value;
    });
    const hook = state.form.querySelector('#webhook-url').value.trim();
    if (hook) {
        body.webhook = { url: hook, secret: state.form.querySelector('#webhook-secret').value };
    }
    return body;
}
