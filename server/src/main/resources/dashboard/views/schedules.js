// Schedules: a form that creates one, and each schedule with its next run and its history.

import { get, path, send } from '../api.js';
import { attribute, h, replace, setText } from '../dom.js';
import { clearFieldProblems, fieldValues, showFieldProblem } from '../fields.js';
import { ago, moment, plural, until } from '../format.js';
import { announce, complain, connected, notice } from '../notices.js';
import { repeat } from '../pace.js';
import { confirmed, emptyState, failure, loadInto, pager, skeleton, stateBadge, table, timeOf } from '../parts.js';
import { link } from '../router.js';
import { mayOperate } from '../session.js';
import { fillPresets, fillSettings } from '../startform.js';
import { RUN_OUTCOMES } from '../words.js';

const EVERY_MS = 3000;
const A_PAGE = 50;
const RUNS_SHOWN = 20;

export async function schedules({ root, query, signal, title }) {
    title('Schedules');
    const list = new ScheduleList(signal);
    replace(root,
        h('h1', {}, 'Schedules'),
        mayOperate() && scheduleForm(signal, () => list.refresh()),
        h('section', { 'aria-labelledby': 'schedules-title' }, h('h2', { id: 'schedules-title' }, 'All schedules'), list.element));
    const update = (next) => list.show(next);
    list.show(query);
    repeat(signal, () => list.refresh());
    return update;
}

function scheduleForm(signal, created) {
    const kind = h('select', { id: 'schedule-kind' }, h('option', { value: 'cron' }, 'At times of the day'), h('option', { value: 'every' }, 'At an interval'));
    const cron = field('cron', 'Cron expression', input('cron', { value: '30 4 * * *' }), 'Minute, hour, day of the month, month, day of the week; or @daily, @weekly.');
    const zone = field('zone', 'Time zone', input('zone', { value: Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC' }), 'A name such as Europe/Berlin or UTC.');
    const every = field('every', 'Interval', input('every', { value: '24h' }), 'Such as 30m, 6h or 7d.');
    const preset = h('select', { id: 'schedule-preset' }, h('option', { value: '' }, 'None'));
    const presetHelp = h('p', { class: 'help' });
    const settings = h('div', {}, skeleton(4));
    const problem = h('p', { class: 'field-problem', role: 'alert', hidden: true });
    const button = h('button', { class: 'primary' }, 'Create schedule');
    const form = h('form', { class: 'panel', novalidate: true },
        h('h2', {}, 'New schedule'),
        h('div', { class: 'fields' },
            field('seeds', 'URL to crawl', input('seeds', { inputmode: 'url', placeholder: 'https://docs.example.com/' }), 'Separate multiple URLs with spaces. Each run is a new job.'),
            field('name', 'Name', input('name', { placeholder: 'the first URL' }), 'Names of schedules are unique.'),
            h('div', { class: 'field' }, h('label', { for: 'schedule-kind' }, 'When'), kind),
            cron, zone, every,
            field('overlap', 'If the last job has not ended', choice('overlap', [['skip', 'Skip the run'], ['queue', 'Wait until it ends']])),
            field('missed', 'If the service was not running', choice('missed', [['catch-up', 'Start the latest missed run'], ['skip', 'Skip missed runs']])),
            h('div', { class: 'field' }, h('label', { for: 'schedule-preset' }, 'Preset'), preset, presetHelp)),
        problem,
        h('details', { class: 'fold' }, h('summary', {}, 'Limits and settings'), settings),
        h('div', { class: 'actions' }, button));
    const showKind = () => {
        cron.hidden = zone.hidden = kind.value !== 'cron';
        every.hidden = kind.value !== 'every';
    };
    kind.addEventListener('change', showKind);
    showKind();
    fillPresets(preset, presetHelp, signal);
    fillSettings(settings, signal);
    form.addEventListener('submit', async (event) => {
        event.preventDefault();
        clearFieldProblems(form);
        problem.hidden = true;
        button.disabled = true;
        try {
            const schedule = await send('POST', '/schedules', requestBody(form, kind.value, preset.value, settings));
            announce(`Schedule ${schedule.name} created.`);
            notice(`Schedule ${schedule.name} created; first run ${until(schedule.next)}.`);
            form.querySelector('#schedule-seeds').value = '';
            form.querySelector('#schedule-name').value = '';
            await created();
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

function input(name, attributes) {
    return h('input', { id: `schedule-${name}`, type: 'text', autocomplete: 'off', autocapitalize: 'none', spellcheck: 'false', ...attributes });
}

function choice(name, options) {
    return h('select', { id: `schedule-${name}` }, options.map(([value, text]) => h('option', { value }, text)));
}

/** A field with the place of its problem, as `showFieldProblem` expects it. */
function field(name, label, control, help = '') {
    const id = `schedule-${name}`;
    attribute(control, 'aria-describedby', `${id}-help ${id}-problem`);
    return h('div', { class: 'field', 'data-setting': name },
        h('label', { for: id }, label), control, h('p', { class: 'help', id: `${id}-help` }, help),
        h('p', { class: 'field-problem', id: `${id}-problem`, hidden: true }));
}

function requestBody(form, kind, preset, settings) {
    const value = (name) => form.querySelector(`#schedule-${name}`).value.trim();
    const job = {
        seeds: value('seeds').split(/\s+/).filter(Boolean),
        settings: Object.fromEntries(fieldValues(settings).filter(([, text]) => text !== '')),
    };
    if (preset) {
        job.preset = preset;
    }
    const body = { job, overlap: value('overlap'), missed: value('missed') };
    if (value('name')) {
        body.name = value('name');
    }
    return kind === 'cron' ? { ...body, cron: value('cron'), zone: value('zone') || 'UTC' } : { ...body, every: value('every') };
}

class ScheduleList {
    #signal;
    #query = new URLSearchParams();
    #cards = new Map();
    #grid = h('ul', { class: 'schedules' });
    #foot = h('div');

    constructor(signal) {
        this.#signal = signal;
        this.element = h('div', {}, skeleton(3));
    }

    show(query) {
        const isSame = String(query) === String(this.#query);
        this.#query = query;
        if (!isSame) {
            this.refresh();
        }
    }

    /** Reloads the list. @returns {Promise<number>} the milliseconds until the next reload */
    async refresh() {
        try {
            const found = await get('/schedules', { offset: this.#query.get('offset'), limit: A_PAGE }, this.#signal);
            connected(true);
            if (!this.#signal.aborted) {
                this.#draw(found);
            }
        } catch (problem) {
            if (problem.status === 0 || problem.status === 429) {
                connected(false);
            } else if (!this.#signal.aborted && problem.status !== 401) {
                replace(this.element, failure(problem));
            }
        }
        return EVERY_MS;
    }

    #draw(found) {
        if (found.items.length === 0) {
            this.#cards.clear();
            replace(this.element, emptyState('No schedules yet', mayOperate() ? 'A schedule starts a job at planned times. Create one above.' : 'A schedule starts a job at planned times.'));
            return;
        }
        const cards = found.items.map((schedule) => {
            const card = this.#cards.get(schedule.id) ?? new ScheduleCard(this.#signal, () => this.refresh());
            card.draw(schedule);
            return [schedule.id, card];
        });
        this.#cards = new Map(cards);
        const elements = cards.map(([, card]) => card.element);
        if (elements.length !== this.#grid.children.length || elements.some((element, index) => element !== this.#grid.children[index])) {
            replace(this.#grid, elements);
        }
        const at = (offset) => link(['schedules'], { offset: offset || '' });
        replace(this.#foot, found.total > found.items.length ? pager({
            ...found, shown: found.items.length, noun: 'schedule',
            previous: found.offset > 0 ? at(Math.max(0, found.offset - A_PAGE)) : null,
            next: found.offset + found.items.length < found.total ? at(found.offset + A_PAGE) : null,
        }) : []);
        if (!this.element.contains(this.#grid)) {
            replace(this.element, this.#grid, this.#foot);
        }
    }
}

/** One schedule. Its elements are reused when it changes, which keeps the focus and an open history. */
class ScheduleCard {
    #signal;
    #changed;
    #schedule = null;
    #name = h('h3', { dir: 'auto' });
    #badge = h('span');
    #seeds = h('p', { class: 'muted schedule-seeds', dir: 'ltr' });
    #next = h('p', { class: 'schedule-next' });
    #rules = h('p', { class: 'hint' });
    #last = h('p');
    #lastKey = '';
    #problem = h('p', { class: 'problem', hidden: true });
    #runs = h('div');
    #history = h('details', { class: 'fold' }, h('summary', {}, 'Runs'), this.#runs);
    #run = h('button', { type: 'button', on: { click: () => this.#act('POST', '/run', undefined, 'Run requested.') } }, 'Run now');
    #pause = h('button', { type: 'button', on: { click: () => this.#act('PATCH', '', { paused: !this.#schedule.paused }) } });
    #delete = h('button', { type: 'button', class: 'danger', on: { click: () => this.#remove() } }, 'Delete');

    constructor(signal, changed) {
        this.#signal = signal;
        this.#changed = changed;
        this.#history.addEventListener('toggle', () => this.#history.open && this.#loadRuns());
        this.element = h('li', { class: 'panel schedule' },
            h('div', { class: 'panel-head' }, h('div', { class: 'schedule-title' }, this.#name, this.#badge),
                mayOperate() && h('div', { class: 'actions' }, this.#run, this.#pause, this.#delete)),
            this.#seeds, this.#next, this.#last, this.#problem, this.#rules, this.#history);
    }

    draw(schedule) {
        this.#schedule = schedule;
        setText(this.#name, schedule.name);
        const state = schedule.paused ? 'paused' : 'active';
        if (this.#badge.dataset.state !== state) {
            this.#badge.dataset.state = state;
            replace(this.#badge, h('span', { class: `badge ${schedule.paused ? 'state-paused' : 'state-running'}` }, state));
        }
        const more = schedule.job.seeds.length - 1;
        setText(this.#seeds, schedule.job.seeds[0] + (more > 0 ? ` and ${plural(more, 'other')}` : ''));
        setText(this.#next, nextRun(schedule));
        setText(this.#rules, rules(schedule));
        setText(this.#pause, schedule.paused ? 'Resume' : 'Pause');
        attribute(this.#pause, 'aria-label', `${schedule.paused ? 'Resume' : 'Pause'} ${schedule.name}`);
        attribute(this.#run, 'aria-label', `Run ${schedule.name} now`);
        attribute(this.#delete, 'aria-label', `Delete ${schedule.name}`);
        setText(this.#problem, schedule.problem ?? '');
        this.#problem.hidden = !schedule.problem;
        this.#drawLast(schedule.lastRun);
    }

    #drawLast(run) {
        const key = run ? JSON.stringify(run) + ago(run.time) : 'none';
        const isNew = run && this.#lastKey !== '' && !this.#lastKey.startsWith(JSON.stringify(run));
        if (this.#lastKey !== key) {
            this.#lastKey = key;
            replace(this.#last, run ? ['Last run ', timeOf(run.time, ago(run.time)), ': ', result(run)] : 'No run yet.');
        }
        if (isNew && this.#history.open) {
            this.#loadRuns();
        }
    }

    #loadRuns() {
        return loadInto(this.#runs, this.#signal, async () => {
            const found = await get(path`/schedules/${this.#schedule.id}/runs`, { limit: RUNS_SHOWN }, this.#signal);
            return found.items.length === 0 ? emptyState('No runs yet', 'The history lists runs that were started, skipped or rejected.')
                : table(`Runs of ${this.#schedule.name}`, [{ name: 'Planned' }, { name: 'Result', wide: true }],
                    found.items.map((run) => [planned(run), result(run)]));
        });
    }

    async #act(method, route, body, done) {
        try {
            await send(method, path`/schedules/${this.#schedule.id}` + route, body);
            if (done) {
                notice(done);
            }
            await this.#changed();
        } catch (problem) {
            complain(problem);
        }
    }

    async #remove() {
        if (await confirmed(`Delete the schedule ${this.#schedule.name}?`, 'Its jobs and their pages remain.', 'Delete schedule')) {
            await this.#act('DELETE', '', undefined, `Schedule ${this.#schedule.name} deleted.`);
        }
    }
}

function nextRun(schedule) {
    const waiting = schedule.waiting ? ' A run is waiting for the last job to end.' : '';
    if (schedule.paused) {
        return `Paused: no run is planned.${waiting}`;
    }
    return `Next run ${until(schedule.next)}, on ${moment(schedule.next)}.${waiting}`;
}

function rules(schedule) {
    const when = schedule.cron ? `${schedule.cron} (${schedule.zone})` : `every ${schedule.every}`;
    const overlap = schedule.overlap === 'skip' ? 'skipped while the last job runs' : 'waits while the last job runs';
    const missed = schedule.missed === 'skip' ? 'missed runs are skipped' : 'the latest missed run starts late';
    return `${when}; ${overlap}; ${missed}.`;
}

function planned(run) {
    const time = moment(run.at) + (run.count > 1 ? ` to ${moment(run.until)}` : '');
    return run.manual ? `on request, ${time}` : time;
}

function result(run) {
    const many = run.count > 1 ? ` ${plural(run.count, 'time')}` : '';
    return h('span', { title: RUN_OUTCOMES[run.outcome] },
        run.job ? [h('a', { href: link(['jobs', run.job]) }, `job #${run.job}`), ' ', run.state ? stateBadge(run.state) : 'deleted'] : [`${run.outcome}${many}. `, run.reason]);
}
