// Notices that can be closed, and announcements for screen readers.

import { h, setText } from './dom.js';

const NOTICES_MAX = 3;
const SHOWN_MS = 8000;
const ERROR_SHOWN_MS = 20_000;

/** Shows a message for some seconds, or until another view is opened, and a link or button with what can be done. */
export function notice(sentence, action = null) {
    show(sentence, 'notice', 'status', SHOWN_MS, action);
}

/** Shows a message that remains when another view is opened next, such as that a job was deleted. */
export function noticeInNextView(sentence) {
    show(sentence, 'notice', 'status', SHOWN_MS).dataset.keep = 'true';
}

/** Shows an error. A lost connection has its own message, which disappears with the problem. */
export function complain(problem) {
    if (problem.name === 'AbortError' || problem.status === 401) {
        return;
    }
    if (problem.status === 0) {
        connected(false);
        return;
    }
    show(problem.message, 'notice notice-bad', 'alert', ERROR_SHOWN_MS);
}

/** Removes the notices of the previous view. */
export function clearNotices() {
    document.querySelectorAll('#notices > *').forEach((shown) => {
        if (shown.dataset.keep) {
            delete shown.dataset.keep;
        } else {
            shown.remove();
        }
    });
}

/** Shows a notice; one with the same text is replaced, so that a repeated problem is shown once. */
function show(sentence, className, role, ms, action = null) {
    const place = document.getElementById('notices');
    [...place.children].filter((one) => one.firstElementChild.textContent === sentence).forEach((one) => one.remove());
    const shown = h('div', { class: className, role },
        h('p', {}, sentence),
        action,
        h('button', { type: 'button', class: 'quiet', 'aria-label': 'Close notice', on: { click: () => shown.remove() } }, '×'));
    place.append(shown);
    while (place.children.length > NOTICES_MAX) {
        place.firstElementChild.remove();
    }
    setTimeout(() => shown.remove(), ms);
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
