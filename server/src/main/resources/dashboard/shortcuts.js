// Keyboard shortcuts, and the dialog that lists them.

import { h } from './dom.js';
import { go } from './router.js';
import { mayOperate } from './session.js';

/** How long the second key of a sequence may take. */
const SEQUENCE_MS = 1500;

const SHORTCUTS = [
    ['?', 'show this list', help],
    ['/', 'search', () => focusFirst('input[type=search]')],
    ['n', 'new crawl', newCrawl],
    ['g j', 'go to jobs', () => go([])],
    ['g s', 'go to schedules', () => go(['schedules'])],
    ['g f', 'go to the fleet', () => go(['fleet'])],
    ['[', 'previous view of a job', () => nextTab(-1)],
    [']', 'next view of a job', () => nextTab(1)],
    ['t', 'switch the theme', () => document.getElementById('theme').click()],
];

/** Starts to listen. A key in a field, in a dialog or with Ctrl, Alt or Meta is not a shortcut. */
export function shortcuts() {
    let first = '';
    let since = 0;
    document.addEventListener('keydown', (event) => {
        const isTyping = event.target.closest?.('input:not([type=checkbox], [type=radio]), select, textarea, dialog');
        if (isTyping || event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented) {
            return;
        }
        const pressed = first && event.timeStamp - since < SEQUENCE_MS ? `${first} ${event.key}` : event.key;
        const found = SHORTCUTS.find(([keys]) => keys === pressed);
        first = SHORTCUTS.some(([keys]) => keys.startsWith(`${event.key} `)) ? event.key : '';
        since = event.timeStamp;
        if (found) {
            event.preventDefault();
            first = '';
            found[2]();
        }
    });
}

function focusFirst(selector) {
    document.querySelector(`main ${selector}`)?.focus();
}

function newCrawl() {
    if (!mayOperate()) {
        return;
    }
    if (document.getElementById('seeds')) {
        document.getElementById('seeds').focus();
        return;
    }
    const main = document.getElementById('main');
    const watcher = new MutationObserver(() => {
        const box = document.getElementById('seeds');
        if (box) {
            watcher.disconnect();
            box.focus();
        }
    });
    watcher.observe(main, { childList: true, subtree: true });
    go([]);
}

function nextTab(step) {
    const tabs = [...document.querySelectorAll('main .tabs:not(.tabs-small) a')];
    const at = tabs.findIndex((tab) => tab.hasAttribute('aria-current'));
    if (at >= 0) {
        tabs[(at + step + tabs.length) % tabs.length].click();
    }
}

/** Shows all shortcuts in a dialog. */
export function help() {
    const dialog = h('dialog', { class: 'shortcuts', 'aria-labelledby': 'shortcuts-title' },
        h('form', { method: 'dialog' },
            h('h2', { id: 'shortcuts-title' }, 'Keyboard shortcuts'),
            h('dl', {}, SHORTCUTS.map(([keys, meaning]) => [
                h('dt', {}, keys.split(' ').map((key, index) => [index > 0 && ' then ', h('kbd', {}, key)])), h('dd', {}, meaning),
            ])),
            h('div', { class: 'actions' }, h('button', {}, 'Close'))));
    dialog.addEventListener('click', (event) => event.target === dialog && dialog.close());
    dialog.addEventListener('close', () => dialog.remove());
    document.body.append(dialog);
    dialog.showModal();
}
