// The only place where elements are made. Text becomes text nodes and nothing else, and attributes that could
// carry script or style are refused, so that what was crawled cannot become part of this page.

const SVG = 'http://www.w3.org/2000/svg';

const FORBIDDEN = /^(on|style$|srcdoc$|formaction$)/i;

/** What a link of this page may lead to: a place in it, the API it came from, or the web. */
const SAFE_LINK = /^(#|\/api\/v1\/|https?:\/\/)/i;

/**
 * Makes an element.
 *
 * @param {string} tag its name
 * @param {Object<string, any>} [attributes] attributes; `on` holds listeners by event; false, null and undefined
 *     leave an attribute out, true makes it empty
 * @param {...any} children nodes, or what is shown as text; null, undefined and false are left out
 */
export function h(tag, attributes = {}, ...children) {
    return fill(document.createElement(tag), attributes, children);
}

/** Makes an element of a drawing; otherwise as {@link h}. */
export function svg(tag, attributes = {}, ...children) {
    return fill(document.createElementNS(SVG, tag), attributes, children);
}

function fill(element, attributes, children) {
    // Children come first: an element with dir=auto looks through all of them whenever one is added.
    append(element, children);
    for (const [name, value] of Object.entries(attributes)) {
        if (name === 'on') {
            Object.entries(value).forEach(([event, listener]) => element.addEventListener(event, listener));
        } else {
            attribute(element, name, value);
        }
    }
    return element;
}

/** Sets, or removes, one attribute. */
export function attribute(element, name, value) {
    if (FORBIDDEN.test(name)) {
        throw new Error(`the attribute ${name} is not set from here`);
    }
    if (name === 'href' && value && !SAFE_LINK.test(value)) {
        throw new Error('a link may lead to http, https, the API or a place in this page');
    }
    if (value === false || value === null || value === undefined) {
        element.removeAttribute(name);
    } else {
        element.setAttribute(name, value === true ? '' : String(value));
    }
}

function append(element, children) {
    for (const child of children.flat(Infinity)) {
        if (child !== null && child !== undefined && child !== false) {
            element.append(child instanceof Node ? child : String(child));
        }
    }
}

/** Puts these children in the place of all that an element has. */
export function replace(element, ...children) {
    element.replaceChildren();
    append(element, children);
    return element;
}

/** Sets a text only where it changed: screen readers and selections are left in peace. */
export function setText(element, text) {
    const next = String(text);
    if (element.textContent !== next) {
        element.textContent = next;
    }
}

/** A link into the web. What is no http or https URL is shown as text. */
export function outward(url, ...children) {
    const shown = children.length ? children : [url];
    if (!/^https?:\/\//i.test(url)) {
        return h('span', {}, ...shown);
    }
    return h('a', { href: url, target: '_blank', rel: 'noopener noreferrer', class: 'outward' }, ...shown);
}
