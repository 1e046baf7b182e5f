// Form fields for settings, built from GET /api/v1/settings.

import { h, setText } from './dom.js';

/**
 * Builds the field of one setting. An empty field means the default value.
 *
 * @param {{name: string, kind: string, default: string, help: string, choices?: string[]}} setting
 * @param {string} value the current value; empty for the default
 */
function settingField(setting, value = '') {
    const id = `setting-${setting.name}`;
    const input = control(setting, id, value);
    return h('div', { class: 'field', 'data-setting': setting.name },
        h('label', { for: id }, setting.name),
        input,
        h('p', { class: 'help', id: `${id}-help` }, sentence(setting.help)),
        h('p', { class: 'field-problem', id: `${id}-problem`, hidden: true }));
}

function control(setting, id, value) {
    const shared = { id, name: setting.name, 'aria-describedby': `${id}-help ${id}-problem` };
    const choices = setting.kind === 'switch' ? ['true', 'false'] : setting.choices ?? [];
    if (choices.length === 0) {
        const numeric = setting.kind === 'count';
        const input = h('input', {
            ...shared, type: 'text', inputmode: numeric ? 'numeric' : 'text', autocomplete: 'off', spellcheck: 'false',
            placeholder: setting.default || 'none',
        });
        input.value = value;
        return input;
    }
    const unset = setting.default ? `default (${setting.default})` : 'default';
    const select = h('select', shared,
        h('option', { value: '' }, unset),
        choices.map((choice) => h('option', { value: choice }, choice)));
    select.value = value;
    return select;
}

function sentence(help) {
    return help ? `${help[0].toUpperCase()}${help.slice(1)}.`.replace(/\.\.$/, '.') : '';
}

/**
 * Builds fields for the common settings and for those that have a value, and a select that adds any other setting.
 *
 * @param {any[]} settings all settings
 * @param {string[]} common the names of the settings shown first, in their order
 * @param {Object<string, any>} values the current values
 */
export function settingFields(settings, common, values = {}) {
    const known = new Map(settings.map((setting) => [setting.name, setting]));
    const set = Object.keys(values).filter((name) => !common.includes(name));
    const shown = [...common, ...set].filter((name) => known.has(name));
    const rest = settings.filter((setting) => !shown.includes(setting.name));
    const others = h('div', { class: 'fields' });
    const choice = h('select', { id: 'other-setting' },
        h('option', { value: '' }, 'Choose a setting'), rest.map((setting) => h('option', { value: setting.name }, setting.name)));
    choice.addEventListener('change', () => addField(known.get(choice.value), choice, others));
    others.append(h('div', { class: 'field' }, h('label', { for: 'other-setting' }, 'Setting'), choice));
    return [
        h('div', { class: 'fields' }, shown.map((name) => settingField(known.get(name), fieldText(values[name])))),
        h('details', { class: 'fold' }, h('summary', {}, 'More settings'), others),
    ];
}

function addField(setting, choice, place) {
    if (setting) {
        const field = settingField(setting);
        place.append(field);
        field.querySelector('input, select').focus();
        choice.querySelector('option:checked').remove();
        choice.value = '';
    }
}

/** Converts a value to the text of a field. The API accepts settings as strings, numbers or lists. */
export function fieldText(value) {
    return value === null || value === undefined ? '' : [value].flat().join(',');
}

/** @returns {Array<[string, string]>} the names and values of all fields of a form */
export function fieldValues(form) {
    return [...form.querySelectorAll('[data-setting] input, [data-setting] select')].map((input) => [input.name, input.value.trim()]);
}

/** Shows a problem at the field that it names, and focuses the field. @returns {boolean} false if the form has no such field */
export function showFieldProblem(form, problem) {
    clearFieldProblems(form);
    const name = problem.field.replace(/^settings\./, '').replace(/\[.*$/, '');
    const field = [...form.querySelectorAll('[data-setting]')].find((candidate) => candidate.dataset.setting === name);
    if (!field) {
        return false;
    }
    const input = field.querySelector('input, select');
    const place = field.querySelector('.field-problem');
    input.setAttribute('aria-invalid', 'true');
    setText(place, problem.message);
    place.hidden = false;
    for (let fold = field.closest('details'); fold; fold = fold.parentElement.closest('details')) {
        fold.open = true;
    }
    input.focus();
    return true;
}

/** Removes the messages of {@link showFieldProblem}. */
export function clearFieldProblems(form) {
    form.querySelectorAll('[aria-invalid]').forEach((input) => input.removeAttribute('aria-invalid'));
    form.querySelectorAll('.field-problem').forEach((place) => {
        place.hidden = true;
    });
}
