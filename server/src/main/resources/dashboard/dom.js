// The only module that creates elements. Text becomes text nodes only, and attributes that could carry script or style are
// rejected, so that crawled content cannot become markup of this page.

const SVG = 'http://www.w3.org/2000/svg';

const FORBIDDEN = /^(on|style$|srcdoc$|formaction$)/i;

/** The allowed link targets: a fragment of this page, the API, or an http or https URL. */
const SAFE_LINK = /^(#|\/api\/v1\/|https?:\/\/)/i;

/**
 * Creates an element.
 *
 * @param {string} tag its name
 * @param {Object<string, any>} [attributes] attributes; `on` holds listeners by event; false, null and undefined
 *     leave an attribute out, true makes it empty
 * @param {...any} children nodes or text; null, undefined and false are left out
 */
export function h(tag, attributes = {}, ...children) {
    return fill(document.createElement(tag), attributes, children);
}

/** Creates an SVG element, like {@link h}. */
export function svg(tag, attributes = {}, ...children) {
    return fill(document.createElementNS(SVG, tag), attributes, children);
}

function fill(element, attributes, children) {
    // Append the children first: an element with dir=auto scans all of them whenever one is added.
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

/** Sets or removes an attribute. */
export function attribute(element, name, value) {
    if (FORBIDDEN.test(name)) {
        throw new Error(`attribute ${name} is not allowed`);
    }
    if (name === 'href' && value && !SAFE_LINK.test(value)) {
        throw new Error('link target must be an http or https URL, the API or a fragment');
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

/** Replaces all children of an element. */
export function replace(element, ...children) {
    element.replaceChildren();
    append(element, children);
    return element;
}

/** Sets the text of an element only if it differs, which keeps selections and does not trigger screen readers. */
export function setText(element, text) {
    const next = String(text);
    if (element.textContent !== next) {
        element.textContent = next;
    }
}

/** A link to an external site. A URL other than http or https is shown as text. */
export function outward(url, ...children) {
    const shown = children.length ? children : [url];
    if (!/^https?:\/\//i.test(url)) {
        return h('span', {}, ...shown);
    }
    return h('a', { href: url, target: '_blank', rel: 'noopener noreferrer', class: 'outward' }, ...shown);
}
