// The sign-in view, for services that require a token. The page sends the token once and does not store it; the session
// is a cookie that scripts cannot read.

import { send } from '../api.js';
import { h, replace, setText } from '../dom.js';

/** @param {function(): void} entered called after a successful sign-in */
export function signin(entered) {
    return async ({ root, title }) => {
        title('Sign in');
        const box = h('input', { id: 'token', type: 'password', autocomplete: 'current-password', required: true, 'aria-describedby': 'token-help token-problem' });
        const button = h('button', { class: 'primary' }, 'Sign in');
        const problem = h('p', { class: 'field-problem', id: 'token-problem', role: 'alert', hidden: true });
        const form = h('form', { class: 'panel signin', novalidate: true },
            h('h1', {}, 'Sign in'),
            h('div', { class: 'field' }, h('label', { for: 'token' }, 'Token'), box,
                h('p', { class: 'help', id: 'token-help' }, 'A token from the file given to the service with --token-file.'), problem),
            button);
        form.addEventListener('submit', async (event) => {
            event.preventDefault();
            problem.hidden = true;
            button.disabled = true;
            try {
                await send('POST', '/session', { token: box.value });
                entered();
            } catch (found) {
                setText(problem, found.message);
                problem.hidden = false;
                box.value = '';
                box.focus();
            } finally {
                button.disabled = false;
            }
        });
        replace(root, form);
        box.focus();
    };
}
