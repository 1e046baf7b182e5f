// Form fields for settings, made from what the service says about them.

import { h, setText } from './dom.js';

/**
 * A field for one setting. An empty field means: as it is by default.
 *
 * @param {{name: string, kind: string, default: string, help: string, choices?: string[]}} setting
 * @param {string} value what it is set to, or nothing
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
    const usual = setting.default ? `as usual (${setting.default})` : 'as usual';
    const select = h('select', shared,
        h('option', { value: '' }, usual),
        choices.map((choice) => h('option', { value: choice }, choice)));
    select.value = value;
    return select;
}

function sentence(help) {
    return help ? `${help[0].toUpperCase()}${help.slice(1)}.`.replace(/\.\.$/, '.') : '';
}

/**
 * Fields for settings: the usual ones, those that have a value, and a way to add any other.
 *
 * @param {any[]} settings all there are
 * @param {string[]} usual the names of those that people reach for, in their order
 * @param {Object<string, any>} values what is set already
 */
export function settingFields(settings, usual, values = {}) {
    const known = new Map(settings.map((setting) => [setting.name, setting]));
    const set = Object.keys(values).filter((name) => !usual.includes(name));
    const shown = [...usual, ...set].filter((name) => known.has(name));
    const rest = settings.filter((setting) => !shown.includes(setting.name));
    const others = h('div', { class: 'fields' });
    const choice = h('select', { id: 'other-setting' },
        h('option', { value: '' }, 'choose one'), rest.map((setting) => h('option', { value: setting.name }, setting.name)));
    choice.addEventListener('change', () => addField(known.get(choice.value), choice, others));
    others.append(h('div', { class: 'field' }, h('label', { for: 'other-setting' }, 'setting'), choice));
    return [
        h('div', { class: 'fields' }, shown.map((name) => settingField(known.get(name), written(values[name])))),
        h('details', { class: 'fold' }, h('summary', {}, 'Another setting'), others),
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

/** A value as it is written into a field: settings may have come as text, numbers or lists. */
export function written(value) {
    return value === null || value === undefined ? '' : [value].flat().join(',');
}

/** @returns {Array<[string, string]>} names and values of all fields of a form */
export function fieldValues(form) {
    return [...form.querySelectorAll('[data-setting] input, [data-setting] select')].map((input) => [input.name, input.value.trim()]);
}

/** Shows a problem at the field it names, and leads there. @returns {boolean} whether there is such a field */
export function blame(form, problem) {
    clearBlame(form);
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

/** Takes back what {@link blame} showed. */
export function clearBlame(form) {
    form.querySelectorAll('[aria-invalid]').forEach((input) => input.removeAttribute('aria-invalid'));
    form.querySelectorAll('.field-problem').forEach((place) => {
        place.hidden = true;
    });
}
