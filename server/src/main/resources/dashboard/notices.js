// Notices that can be closed, and announcements for screen readers.

import { h, setText } from './dom.js';

const NOTICES_MAX = 3;
const SHOWN_MS = 8000;

/** Shows a message for some seconds. */
export function notice(sentence) {
    const shown = show(sentence, 'notice', 'status');
    setTimeout(() => shown.remove(), SHOWN_MS);
}

/** Shows an error until it is closed or another view is opened. */
export function complain(problem) {
    if (problem.name === 'AbortError' || problem.status === 401) {
        return;
    }
    show(problem.message, 'notice notice-bad', 'alert');
}

/** Removes all error notices: they belong to the previous view. */
export function clearNotices() {
    document.querySelectorAll('#notices .notice-bad').forEach((shown) => shown.remove());
}

function show(sentence, className, role) {
    const place = document.getElementById('notices');
    const shown = h('div', { class: className, role },
        h('p', {}, sentence),
        h('button', { type: 'button', class: 'quiet', 'aria-label': 'Close notice', on: { click: () => shown.remove() } }, '×'));
    place.append(shown);
    while (place.children.length > NOTICES_MAX) {
        place.firstElementChild.remove();
    }
    return shown;
}

/** Announces a visible change to screen readers. */
export function announce(sentence) {
    setText(document.getElementById('announcer'), sentence);
}

/** Shows or hides the message that the connection to the service is lost. */
export function connected(isConnected) {
    document.getElementById('connection').hidden = isConnected;
}
