// What the page says by itself: notices that can be closed, and words for screen readers.

import { h, setText } from './dom.js';

const NOTICES_MAX = 3;
const SHOWN_MS = 8000;

/** Shows one sentence for a while. */
export function notice(sentence) {
    const shown = show(sentence, 'notice', 'status');
    setTimeout(() => shown.remove(), SHOWN_MS);
}

/** Shows what went wrong, until it is closed or something else is done. */
export function complain(problem) {
    if (problem.name === 'AbortError' || problem.status === 401) {
        return;
    }
    show(problem.message, 'notice notice-bad', 'alert');
}

/** Takes all complaints away: they belong to what was done before. */
export function clearNotices() {
    document.querySelectorAll('#notices .notice-bad').forEach((shown) => shown.remove());
}

function show(sentence, className, role) {
    const place = document.getElementById('notices');
    const shown = h('div', { class: className, role },
        h('p', {}, sentence),
        h('button', { type: 'button', class: 'quiet', 'aria-label': 'Close this notice', on: { click: () => shown.remove() } }, '×'));
    place.append(shown);
    while (place.children.length > NOTICES_MAX) {
        place.firstElementChild.remove();
    }
    return shown;
}

/** Tells a screen reader something that is seen by everybody else. */
export function announce(sentence) {
    setText(document.getElementById('announcer'), sentence);
}

/** Shows whether the service is heard from. */
export function connected(isSo) {
    document.getElementById('connection').hidden = isSo;
}
