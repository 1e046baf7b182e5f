// Entry point: session, routing and theme.

import { get, onUnauthorised, send } from './api.js';
import { attribute, h, replace, setText } from './dom.js';
import { clearNotices, complain } from './notices.js';
import { failure, missing } from './parts.js';
import { match, parse } from './router.js';
import { currentRole, setSession } from './session.js';
import { help, shortcuts } from './shortcuts.js';
import { home } from './views/home.js';

/** Views other than home are loaded on first use. */
const ROUTES = [
    ['', async () => home],
    ['jobs/:id', async () => (await import('./views/overview.js')).overview],
    ['jobs/:id/report', async () => (await import('./views/report.js')).report],
    ['jobs/:id/pages', async () => (await import('./views/pages.js')).pages],
    ['jobs/:id/pages/:seq', async () => (await import('./views/page.js')).page],
    ['jobs/:id/hosts/:name', async () => (await import('./views/host.js')).host],
    ['jobs/:id/compare', async () => (await import('./views/compare.js')).compare],
    ['jobs/:id/site', async () => (await import('./views/site.js')).site],
    ['jobs/:id/failures', async () => (await import('./views/failures.js')).failures],
    ['jobs/:id/why', async () => (await import('./views/why.js')).why],
    ['schedules', async () => (await import('./views/schedules.js')).schedules],
    ['fleet', async () => (await import('./views/fleet.js')).fleet],
];

const THEMES = ['auto', 'light', 'dark'];

const main = document.getElementById('main');

/** The current view: its route without the query, its handler of query changes, and the controller that ends it. */
let shown = { place: null, update: null, ending: new AbortController() };

async function show() {
    if (location.hash === '#main') {
        return;
    }
    const { parts, query } = parse(location.hash);
    const place = parts.join('/');
    clearNotices();
    if (place === shown.place && shown.update) {
        shown.update(query);
        main.dataset.shown = location.hash;
        return;
    }
    const found = match(ROUTES, parts);
    await present(place, found?.target ?? (async () => notFound), { params: found?.params ?? {}, query });
}

/** Replaces the current view. */
async function present(place, load, { params, query }) {
    shown.ending.abort();
    const ending = new AbortController();
    const isFirst = shown.place === null;
    shown = { place, update: null, ending };
    markNavigation(place);
    try {
        const view = await load();
        if (ending.signal.aborted) {
            return;
        }
        const root = h('div');
        replace(main, root);
        main.dataset.shown = location.hash;
        const update = await view({ root, params, query, signal: ending.signal, title });
        if (!ending.signal.aborted) {
            shown.update = update ?? null;
            focusHeading(isFirst);
        }
    } catch (problem) {
        if (!ending.signal.aborted) {
            replace(main, failure(problem));
        }
    }
}

/** Focuses the heading of a new view, for screen readers and keyboards; the first view does not change the focus. */
function focusHeading(isFirst) {
    const heading = main.querySelector('h1');
    if (heading && !isFirst && !main.contains(document.activeElement)) {
        heading.tabIndex = -1;
        heading.focus({ preventScroll: true });
        window.scrollTo(0, 0);
    }
}

function title(text) {
    document.title = text ? `${text} · Orbweaver` : 'Orbweaver';
}

async function notFound({ root }) {
    title('Not found');
    replace(root, missing('Page not found', `The dashboard has no view ${location.hash}.`));
}

function markNavigation(place) {
    const current = place === 'fleet' || place === 'schedules' ? place : 'home';
    document.querySelectorAll('[data-nav]').forEach((item) => {
        attribute(item, 'aria-current', item.dataset.nav === current ? 'page' : null);
    });
}

async function signIn() {
    document.getElementById('sign-out').hidden = true;
    const { signin } = await import('./views/signin.js');
    await present('sign-in', async () => signin(() => start()), { params: {}, query: new URLSearchParams() });
}

/** Names the role of the token, which explains why some functions are missing. */
function showRole(session) {
    const place = document.getElementById('role');
    place.hidden = !(session.tokenRequired && session.signedIn);
    setText(place, currentRole());
}

async function start() {
    try {
        const session = await get('/session');
        setSession(session);
        showRole(session);
        document.getElementById('sign-out').hidden = !(session.tokenRequired && session.signedIn);
        if (session.tokenRequired && !session.signedIn) {
            await signIn();
            return;
        }
    } catch (problem) {
        complain(problem);
    }
    shown.place = shown.place === 'sign-in' ? 'signed-in' : shown.place;
    await show();
}

function theme() {
    const button = document.getElementById('theme');
    const current = () => document.documentElement.dataset.theme ?? 'auto';
    const label = () => replace(button, h('span', { class: 'theme-word' }, 'Theme:\u00a0'), current());
    button.setAttribute('aria-label', 'Switch theme: auto, light or dark');
    button.addEventListener('click', () => {
        const next = THEMES[(THEMES.indexOf(current()) + 1) % THEMES.length];
        if (next === 'auto') {
            delete document.documentElement.dataset.theme;
        } else {
            document.documentElement.dataset.theme = next;
        }
        try {
            localStorage.setItem('orbweaver.theme', next);
        } catch {
            // Without storage the choice lasts until the page is closed.
        }
        label();
    });
    label();
}

document.getElementById('sign-out').addEventListener('click', async () => {
    try {
        await send('DELETE', '/session');
        await start();
    } catch (problem) {
        complain(problem);
    }
});
document.querySelector('.skip').addEventListener('click', (event) => {
    // The URL fragment selects the view, so the skip link cannot use it and sets the focus instead.
    event.preventDefault();
    main.focus();
});
window.addEventListener('hashchange', show);
onUnauthorised(signIn);
document.getElementById('help').addEventListener('click', help);
shortcuts();
theme();
start();
