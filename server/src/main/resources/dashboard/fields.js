// Form fields for settings, built from GET /api/v1/settings.

import { h, setText } from './dom.js';
import { grouped, settingHelp, settingLabel, settingUnit, valueWord } from './settings.js';

/**
 * Builds the field of one setting. An empty field means the default value.
 *
 * @param {{name: string, kind: string, default: string, help: string, choices?: string[]}} setting
 * @param {string} value the current value; empty for the default
 */
function settingField(setting, value = '') {
    const id = `setting-${setting.name}`;
    const unit = settingUnit(setting.name);
    return h('div', { class: 'field', 'data-setting': setting.name },
        h('label', { for: id }, settingLabel(setting.name)),
        control(setting, id, value),
        h('p', { class: 'help', id: `${id}-help` }, unit && [h('span', { class: 'unit' }, `${unit[0].toUpperCase()}${unit.slice(1)}`), '. '], settingHelp(setting), ' ', h('code', {}, setting.name)),
        h('p', { class: 'field-problem', id: `${id}-problem`, hidden: true }));
}

function control(setting, id, value) {
    const shared = { id, name: setting.name, 'aria-describedby': `${id}-help ${id}-problem`, 'data-default': setting.default };
    const choices = setting.kind === 'switch' ? ['true', 'false'] : setting.choices ?? [];
    if (choices.length === 0) {
        const input = h('input', {
            ...shared, type: 'text', inputmode: setting.kind === 'count' ? 'numeric' : 'text', autocomplete: 'off', spellcheck: 'false',
            placeholder: unsetText(setting.name, setting.default),
        });
        input.value = value;
        return input;
    }
    const select = h('select', shared,
        h('option', { value: '' }, unsetText(setting.name, setting.default)),
        choices.map((choice) => h('option', { value: choice }, valueWord(setting.name, choice))));
    select.value = value;
    return select;
}

/** What an empty field means. */
function unsetText(name, value) {
    return value === 'none' && settingUnit(name) ? 'no limit' : value ? `default: ${valueWord(name, value)}` : 'none';
}

/** Shows in empty fields what a preset sets, instead of the default. */
export function showPreset(form, settings) {
    form.querySelectorAll('[data-setting] [data-default]').forEach((input) => {
        const isSet = input.name in settings;
        const text = isSet ? `preset: ${valueWord(input.name, settings[input.name])}` : unsetText(input.name, input.dataset.default);
        input.closest('[data-setting]').classList.toggle('from-preset', isSet);
        if (input.tagName === 'SELECT') {
            setText(input.options[0], text);
        } else {
            input.placeholder = text;
        }
    });
}

/**
 * Builds fields for the common settings, and all others in groups that are collapsed, unless one has a value.
 *
 * @param {any[]} settings all settings
 * @param {string[]} common the names of the settings shown first, in their order
 * @param {Object<string, any>} values the current values
 */
export function settingFields(settings, common, values = {}) {
    const known = new Map(settings.map((setting) => [setting.name, setting]));
    const field = (setting) => settingField(setting, fieldText(values[setting.name]));
    const rest = settings.filter((setting) => !common.includes(setting.name));
    return [
        h('div', { class: 'fields' }, common.filter((name) => known.has(name)).map((name) => field(known.get(name)))),
        h('div', { class: 'setting-groups' }, grouped(rest).map(([heading, members]) =>
            h('details', { class: 'fold', open: members.some((setting) => fieldText(values[setting.name]) !== '') },
                h('summary', {}, `More: ${heading.toLowerCase()} (${members.length})`),
                h('div', { class: 'fields' }, members.map(field))))),
    ];
}

/** Converts a value to the text of a field. The API accepts settings as strings, numbers or lists. */
export function fieldText(value) {
    return value === null || value === undefined ? '' : [value].flat().join(',');
}

/** @returns {Array<[string, string]>} the names and values of all fields of settings in a form */
export function fieldValues(form) {
    return [...form.querySelectorAll('[data-setting] [data-default]')].map((input) => [input.name, input.value.trim()]);
}

/** Shows a problem at the field that it names, and focuses the field. @returns {boolean} false if the form has no such field */
export function showFieldProblem(form, problem) {
    clearFieldProblems(form);
    const name = problem.field.replace(/^settings\./, '').replace(/\[.*$/, '');
    const field = [...form.querySelectorAll('[data-setting]')].find((candidate) => candidate.dataset.setting === name);
    if (!field) {
        return false;
    }
    const input = field.querySelector('input, select, textarea');
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
